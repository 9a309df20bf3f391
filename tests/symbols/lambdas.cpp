// SPDX-License-Identifier: Apache-2.0
// Lambdas and local classes, which are inlined or not by -DLOCAL=: each has one stable name.
#include <cstdio>
#include <string>
#include <vector>

#define OUTER __attribute__((noinline))
static volatile long factor = 3;

namespace shop {
OUTER long price(long number) {
    auto line = [](long i) LOCAL { return i * factor; };
    return line(number) + line(factor);
}
template <class T> OUTER long sum(const std::vector<T> &numbers) {
    auto add = [](T i) LOCAL { return (long)i * factor; };
    return add(numbers[0]) + add(numbers[1]);
}
static OUTER long stock(const std::string &name, long number) {
    auto count = [&](long i) LOCAL {
        auto all = [&](auto j) LOCAL { return j + factor; };
        return all(i) + all(factor) + (long)name.size();
    };
    return count(number) + count(factor);
}
struct Cart {
    long size;
    OUTER long total(int number) const {
        struct Sum {
            LOCAL static long add(long a, long b) { return a * factor + b; }
        };
        auto line = [this](int i) LOCAL { return i * factor + size; };
        return line(number) + line((int)factor) + Sum::add(number, factor);
    }
};
namespace {
template <class T> LOCAL static inline long spread(T number) { return (long)number * factor; }
OUTER long spell(unsigned long number) {
    struct {
        LOCAL long letter(unsigned long i) { return (long)i + factor; }
    } letters;
    auto word = [&](unsigned long i) LOCAL { return letters.letter(i) * factor; };
    return word(number) + word((unsigned long)factor) + spread(number);
}
} // namespace
OUTER std::string label(long number) {
    auto text = [](long i) LOCAL { return std::string((size_t)(i + factor), 'a'); };
    return text(number);
}
} // namespace shop

int main(int argc, char **argv) {
    auto scale = [](long i) LOCAL { return i * factor - 1; };
    long all = shop::price(argc) + shop::sum(std::vector<int>{argc, 2}) + shop::sum(std::vector<long>{argc, 2});
    all += shop::stock(argv[0], argc) + shop::Cart{argc}.total(argc) + shop::spell((unsigned long)argc);
    printf("%ld\n", all + scale(argc) + scale(factor) + (long)shop::label(argc).size());
}
