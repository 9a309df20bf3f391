// SPDX-License-Identifier: Apache-2.0
// A shop that fills its stock and keeps it, for capture-heap.sh: hold NOTES
//
// NOTES is how much is written down of each order: what a canary plants, in stock.cpp, a library of its own. A part of
// what is allocated is freed again, so that what is in use differs from what was allocated.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

std::vector<std::unique_ptr<char[]>> write_notes(int count);

// Of the allocator that is preloaded, if it is this one.
extern "C" __attribute__((weak)) int mallctl(const char *, void *, size_t *, void *, size_t);
extern "C" __attribute__((weak)) void HeapProfilerDump(const char *);

struct order {
    std::vector<std::string> lines;
    std::vector<std::unique_ptr<char[]>> notes;
};

KEEP static std::vector<std::string> write_lines(int count) {
    std::vector<std::string> lines;
    for (int i = 0; i < count; i++)
        lines.push_back("an article whose name is long enough, number " + std::to_string(i));
    return lines;
}

KEEP static order take_order(int notes) {
    return order{write_lines(40), write_notes(notes)};
}

static void dump_profile() {
    if (mallctl != nullptr)
        mallctl("prof.dump", nullptr, nullptr, nullptr, 0);
    if (HeapProfilerDump != nullptr)
        HeapProfilerDump("the stock is full");
}

int main(int argc, char **argv) {
    const int notes = argc > 1 ? std::atoi(argv[1]) : 4;
    std::vector<order> orders;
    for (int i = 0; i < 6000; i++) {
        order taken = take_order(notes);
        if (i % 3 != 0)
            orders.push_back(std::move(taken));
    }
    std::printf("%zu orders\n", orders.size());
    dump_profile();
    return orders.empty() ? 1 : 0;
}
