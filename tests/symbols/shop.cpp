// SPDX-License-Identifier: Apache-2.0
// A program with inlined calls, a template, and names that are local to a file.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace shop {
static inline __attribute__((always_inline)) uint64_t mix(uint64_t a, uint64_t b) {
    a ^= b * 0x9E3779B97F4A7C15ull;
    return a ^ (a >> 29);
}
template <typename T> struct Cart {
    std::vector<T> lines;
    __attribute__((noinline)) uint64_t total(uint64_t seed) const {
        uint64_t sum = seed;
        for (T line : lines)
            sum = mix(sum, line);
        return sum;
    }
};
__attribute__((noinline)) uint64_t order(const Cart<int> &cart, uint64_t seed) {
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++)
        sum += cart.total(mix(seed, (uint64_t)i));
    return sum;
}
namespace {
__attribute__((noinline)) uint64_t spell(uint64_t number) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 256; i++) {
        char text[32];
        int len = 0;
        for (uint64_t rest = number + i; rest != 0; rest /= 10)
            text[len++] = (char)('0' + rest % 10);
        for (int at = 0; at < len; at++)
            sum = mix(sum, (uint64_t)text[at]);
    }
    return sum;
}
} // namespace
} // namespace shop

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    shop::Cart<int> cart;
    for (int i = 0; i < 4096; i++)
        cart.lines.push_back(i * 7919);
    uint64_t sum = 0;
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end)
        sum += shop::order(cart, sum) + shop::spell(sum >> 1);
    printf("%llu\n", (unsigned long long)sum);
}
