// SPDX-License-Identifier: Apache-2.0
// The library of hold.cpp in which a canary holds more.

#include <memory>
#include <vector>

__attribute__((noinline)) std::vector<std::unique_ptr<char[]>> write_notes(int count) {
    std::vector<std::unique_ptr<char[]>> notes;
    for (int i = 0; i < count; i++)
        notes.push_back(std::make_unique<char[]>(200 + i % 7 * 60));
    return notes;
}
