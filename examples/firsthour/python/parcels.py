# SPDX-License-Identifier: Apache-2.0
"""The parcels: the same ones in every run."""

import random
from datetime import datetime, timedelta

TOWNS = "Aldford Brigsley Carrow Dunmere Eastleigh Farnholm Garside Holtby Inverlay Kestwick Larling Morwick Oxmoor Quenby".split()
NAMES = "Abel Berta Carla Dorian Edith Fiona Gustav Hanna Ivo Jonas Klara Leon Mina Nora Oskar Paula Rosa Tilda".split()
STREETS = "Mill Station Church High Bridge Garden Meadow Quarry River School".split()
STEPS = ["accepted", "sorted", "loaded", "in transit", "arrived", "out for delivery", "delivered"]


def make_parcels(count):
    rng = random.Random(20250301)
    begin = datetime(2025, 3, 1, 6)

    def place():
        return {
            "name": f"{rng.choice(NAMES)} {rng.choice(NAMES)}son",
            "street": f"{rng.randint(1, 200)} {rng.choice(STREETS)} Street",
            "town": rng.choice(TOWNS),
            "code": f"{rng.randrange(100_000):05}",
        }

    def scans(at):
        for what in STEPS[: rng.randint(3, len(STEPS))]:
            at += timedelta(minutes=rng.randint(20, 600))
            yield {"at": at.isoformat(), "place": rng.choice(TOWNS), "what": what}

    def parcel(number):
        posted = begin + timedelta(minutes=rng.randrange(40 * 24 * 60))
        return {
            "id": f"PX{number:07}",
            "from": place(),
            "to": place(),
            "grams": rng.randint(100, 20_000),
            "cents": rng.randrange(100_000),
            "posted": posted.timestamp(),
            "options": {"service": rng.choice(["day", "slow", "night"]), "proof": rng.choice(["photo", "signature"])},
            "scans": list(scans(posted)),
        }

    return [parcel(number) for number in range(count)]
