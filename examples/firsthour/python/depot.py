# SPDX-License-Identifier: Apache-2.0
"""The parcel service of this folder's neighbours, for Python: standard library only.

    depot.py ADDRESS-FILE LIFETIME-SECONDS [recompile|deepcopy|HANDLER=FACTOR]

HANDLER=FACTOR runs the handler lookup, find, board or manifest so many times for each request, on average.
It listens on a free port of loopback, writes the address to ADDRESS-FILE, and ends by itself.
"""

import copy
import json
import os
import random
import re
import resource
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import handlers
from parcels import make_parcels

ROUTES = {
    "/parcel": handlers.lookup,
    "/find": handlers.find,
    "/board": handlers.board,
    "/quote": handlers.quote,
    "/manifest": handlers.manifest,
}


class Depot:
    def __init__(self, plant):
        self.plant = plant
        self.repeated, _, factor = plant.partition("=")
        self.factor = float(factor or 1)
        self.parcels = make_parcels(10_000)
        self.by_id = {parcel["id"]: parcel for parcel in self.parcels}
        self.started = time.monotonic()
        self.lock = threading.Lock()
        self.served = 0
        self.last_record = None

    def count(self):
        with self.lock:
            self.served += 1

    def times(self, route):
        """How often a request runs its handler."""
        return int(self.factor + random.random()) if ROUTES[route].__name__ == self.repeated else 1

    def audit_record(self, path, source):
        """Keeps what an answer was made of, as it was. Nobody reads it."""
        self.last_record = (time.time(), path, copy.deepcopy(source))

    def stats(self):
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "requests": self.served,
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "wall_seconds": time.monotonic() - self.started,
        }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    depot = None

    def do_GET(self):
        self.answer(b"")

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, body):
        url = urlsplit(self.path)
        if url.path == "/stats":
            return self.reply(json.dumps(self.depot.stats()), "application/json")
        if url.path not in ROUTES:
            return self.send_error(404)
        self.depot.count()
        number = int(parse_qs(url.query).get("n", ["0"])[0])
        for _ in range(self.depot.times(url.path)):
            answer = ROUTES[url.path](self.depot, number, body)
        if self.depot.plant == "deepcopy":
            self.depot.audit_record(self.path, answer.source)
        if answer.text is None:
            return self.reply(json.dumps(answer.content), "application/json")
        return self.reply(answer.text, answer.kind)

    def reply(self, text, kind):
        data = text if isinstance(text, bytes) else text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self._headers_buffer.append(b"\r\n" + data)  # one packet
        self.flush_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    plant = (sys.argv[3:] or [""])[0]
    is_repeat = re.fullmatch(r"(lookup|find|board|manifest)=[\d.]+", plant)
    if len(sys.argv) not in (3, 4) or not (is_repeat or plant in ("", "recompile", "deepcopy")):
        sys.exit("usage: depot.py ADDRESS-FILE LIFETIME-SECONDS [recompile|deepcopy|HANDLER=FACTOR]")
    address_file, lifetime = sys.argv[1], float(sys.argv[2])
    Handler.depot = Depot(plant)
    server = Server(("127.0.0.1", 0), Handler)
    with open(address_file + ".new", "w", encoding="ascii") as file:
        file.write(f"127.0.0.1:{server.server_port}")
    os.rename(address_file + ".new", address_file)
    end = threading.Timer(lifetime, os._exit, [0])
    end.daemon = True
    end.start()
    server.serve_forever()


if __name__ == "__main__":
    main()
