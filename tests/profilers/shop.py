# SPDX-License-Identifier: Apache-2.0
"""A program that Python's profilers record: time in two paths, recursion, and memory that is kept. Usage: shop.py SECONDS"""
import json
import sys
import time

KEPT = []


def encode_reply(order):
    return json.dumps({"order": order, "sum": price(order, 6)})


def price(order, depth):
    if depth == 0:
        return sum(i * i for i in range(order % 700 + 300))
    return price(order, depth - 1) + 1


def keep(order):
    KEPT.append([bytearray(500) for _ in range(order % 5)])


def serve(seconds):
    end = time.time() + seconds
    order = 0
    while time.time() < end:
        order += 1
        encode_reply(order)
        if order % 10 == 0:
            keep(order)


serve(float(sys.argv[1]))
