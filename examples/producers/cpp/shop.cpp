// SPDX-License-Identifier: Apache-2.0
// A small shop under load by itself, for capture.sh: shop SECONDS ROUNDS
//
// ROUNDS is how often round_price goes over a price: what a canary plants. It lives in a library of its own,
// price.cpp, so that it can be told apart by its mapping too. SECONDS are of CPU time, so that a busy machine gives
// as many samples as a quiet one.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

double round_price(double price, int rounds);

struct item {
    std::string name;
    double price;
};

KEEP static double total_of(const std::vector<item> &items, int rounds) {
    double total = 0;
    for (const item &one : items)
        total += round_price(one.price, rounds);
    return total;
}

KEEP static std::vector<const item *> search_items(const std::vector<item> &items, const std::string &word) {
    std::vector<const item *> found;
    for (const item &one : items)
        if (one.name.find(word) != std::string::npos)
            found.push_back(&one);
    return found;
}

KEEP static void sort_items(std::vector<const item *> &found) {
    std::sort(found.begin(), found.end(), [](const item *a, const item *b) { return a->name < b->name; });
}

KEEP static std::string encode_reply(const std::vector<const item *> &found, double total) {
    std::string reply = "{\"total\":" + std::to_string(total) + ",\"items\":[";
    for (const item *one : found) {
        reply += "{\"name\":\"" + one->name + "\",\"price\":";
        reply += std::to_string(static_cast<int>(one->price * 100)) + "},";
    }
    return reply + "]}";
}

KEEP static std::uint64_t checksum(const std::string &text) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (unsigned char byte : text)
        sum = (sum ^ byte) * 0x100000001b3;
    return sum;
}

KEEP static std::size_t count_words(const std::string &reply) {
    std::map<std::string, int> words;
    std::string word;
    for (char letter : reply) {
        if (std::isalnum(static_cast<unsigned char>(letter))) {
            word += letter;
        } else if (!word.empty()) {
            words[word]++;
            word.clear();
        }
    }
    return words.size();
}

KEEP static std::uint64_t handle_request(const std::vector<item> &items, int number, int rounds) {
    std::vector<const item *> found = search_items(items, number % 3 ? "item" : "item 1");
    sort_items(found);
    const std::string reply = encode_reply(found, total_of(items, rounds));
    return checksum(reply) + count_words(reply);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: shop SECONDS ROUNDS\n");
        return 2;
    }
    const int seconds = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
    std::vector<item> items;
    for (int i = 0; i < 400; i++)
        items.push_back({"item " + std::to_string(i * 7919 % 400) + " of the shop", 100.0 + i % 97});

    const std::clock_t until = std::clock() + static_cast<std::clock_t>(seconds) * CLOCKS_PER_SEC;
    std::uint64_t sum = 0;
    int number = 0;
    while (std::clock() < until)
        for (int i = 0; i < 100; i++)
            sum += handle_request(items, number++, rounds);
    std::fprintf(stderr, "%d requests, %llx\n", number, static_cast<unsigned long long>(sum));
    return 0;
}
