# SPDX-License-Identifier: Apache-2.0
"""A small shop under load by itself, for capture.sh: shop.py SECONDS ROUNDS

ROUNDS is how often round_price goes over a price: what a canary plants.
"""

import hashlib
import json
import re
import sys
import time


class Item:
    def __init__(self, number):
        self.name = f"item {number * 7919 % 400} of the shop"
        self.price = 100.0 + number % 97
        self.tags = [f"a{number % 13}", f"b{number % 17}"]


ITEMS = [Item(number) for number in range(400)]


def round_price(price, rounds):
    for _ in range(rounds):
        price = (price * 1.0001 + 0.004) / (1.0 + price * 1e-9)
    return price


def total_of(items, rounds):
    return sum(round_price(item.price, rounds) for item in items)


def search_items(word):
    pattern = re.compile(rf"(?:^| ){word}(?: |$)")
    return [item for item in ITEMS if pattern.search(item.name) or word in item.tags]


def sort_items(found):
    return sorted(found, key=lambda item: (item.name, item.price))


def encode_reply(found, total):
    return json.dumps({"total": total, "items": [vars(item) for item in found]}, indent=1)


def checksum(text):
    return hashlib.sha256(text.encode()).hexdigest()


def count_words(reply):
    words = {}
    for word in reply.split():
        words[word] = words.get(word, 0) + 1
    return len(words)


def handle_request(number, rounds):
    found = sort_items(search_items("item" if number % 3 else f"a{number % 13}"))
    reply = encode_reply(found, total_of(ITEMS, rounds))
    return checksum(reply), count_words(reply)


def main():
    seconds, rounds = float(sys.argv[1]), int(sys.argv[2])
    until = time.monotonic() + seconds
    number = 0
    while time.monotonic() < until:
        handle_request(number, rounds)
        number += 1
    print(f"{number} requests", file=sys.stderr)


if __name__ == "__main__":
    main()
