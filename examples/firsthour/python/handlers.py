# SPDX-License-Identifier: Apache-2.0
"""The endpoints. Each returns what to send (an object, or a text and its type) and what that was made of."""

import gzip
import hashlib
import hmac
import html
import json
import math
import re
import string
from datetime import datetime
from typing import Any, NamedTuple

from parcels import NAMES, STEPS, TOWNS

BOARD_ROWS = 5
MANIFEST_ROWS = 200


class Answer(NamedTuple):
    source: Any
    content: Any = None
    text: Any = None
    kind: str = ""


def day_of(stamp):
    return datetime.utcfromtimestamp(stamp).strftime("%d %b %Y %H:%M")


def lookup(depot, number, _):
    parcel = depot.by_id[f"PX{number % len(depot.parcels):07}"]
    return Answer(parcel, {**parcel, "posted": day_of(parcel["posted"])})


def highlighted(depot, parcel, word):
    """The addressee with what was searched for in bold; and, if recompile was shipped, the parcel's own number."""
    if depot.plant == "recompile":  # each parcel has a pattern of its own, so re's cache never has it
        pattern = rf"\b(?P<word>{word}\w*)|\b(?P<id>{re.escape(parcel['id'])})\b"
        return re.sub(pattern, r"<b>\g<0></b>", parcel["to"]["name"])
    return re.sub(rf"\b{word}\w*", r"<b>\g<0></b>", parcel["to"]["name"])


def find(depot, number, _):
    first = number % (len(depot.parcels) - 200)
    word = NAMES[number % len(NAMES)]
    found = [
        parcel
        for parcel in depot.parcels[first : first + 200]
        if word in parcel["to"]["name"] or (len(parcel["scans"]) == len(STEPS) and re.match(r"[0-4]\d+7$", parcel["to"]["code"]))
    ]
    found = sorted(found, key=lambda parcel: (parcel["posted"], parcel["id"]))[:8]
    matches = []
    for parcel in found:
        last = parcel["scans"][-1]
        name = highlighted(depot, parcel, word)
        matches.append({"id": parcel["id"], "to": name, "posted": day_of(parcel["posted"]), "last": f"{last['what']}, {last['place']}"})
    return Answer(found, matches)


ROW = string.Template('<tr><td>$id</td><td>$name</td><td>$town</td><td align="right">$kilos kg</td></tr>')


def board(depot, number, _):
    first = number % (len(depot.parcels) - BOARD_ROWS)
    rows = depot.parcels[first : first + BOARD_ROWS]
    cells = [
        ROW.substitute(
            id=html.escape(parcel["id"]),
            name=html.escape(parcel["to"]["name"]),
            town=html.escape(parcel["to"]["town"]),
            kilos=f"{parcel['grams'] / 1000:.1f}",
        )
        for parcel in rows
    ]
    return Answer(rows, text=f"<!doctype html><table>{''.join(cells)}</table>", kind="text/html")


def quote(_, __, body):
    order = json.loads(body)
    seal = hmac.new(b"not a secret", digestmod=hashlib.sha256)
    lines, total = [], 0.0
    for line in order["lines"]:
        zone = TOWNS.index(line["town"]) % 5
        weight = max(line["grams"] / 1000, (line["side_cm"] / 100) ** 3 * 200)
        price = 2.9 + 0.8 * zone + math.ceil(weight * 2) / 2 * 1.15
        total += price
        seal.update(f"{line['town']}|{line['grams']}|{price:.2f}\n".encode())
        lines.append({"town": line["town"], "zone": zone, "price": f"{price:.2f} EUR"})
    return Answer(order, {"customer": order["customer"], "lines": lines, "total": f"{total:.2f} EUR", "seal": seal.hexdigest()})


def manifest(depot, number, _):
    first = number % (len(depot.parcels) - MANIFEST_ROWS)
    rows = depot.parcels[first : first + MANIFEST_ROWS]
    text = "\n".join(f"{p['id']};{p['grams']};{p['to']['code']} {p['to']['town']};{p['to']['name']}" for p in rows)
    packed = gzip.compress(text.encode(), 1)
    return Answer({"first": first, "bytes": len(packed)}, text=packed, kind="application/gzip")
