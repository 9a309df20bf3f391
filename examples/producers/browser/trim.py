#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps of a profile that Firefox wrote the process that ran the page, without markers, and of a trace that Chromium
wrote the events of its CPU profiler: trim.py gecko|trace FILE > OUT"""
import json
import sys

kind, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    whole = json.load(file)
if kind == "trace":
    events = [event for event in whole["traceEvents"]
              if event["name"] in ("Profile", "ProfileChunk", "thread_name", "process_name")]
    whole = {"traceEvents": events}
else:
    process = next(process for process in whole["processes"]
                   if any("roundPrice" in text for thread in process["threads"] for text in thread["stringTable"]))
    for thread in process["threads"]:
        del thread["markers"]
    meta = {key: whole["meta"][key] for key in ("version", "interval", "sampleUnits", "product", "platform", "oscpu")}
    libs = [{key: lib[key] for key in ("start", "end", "offset", "name", "path", "codeId")} for lib in process["libs"]]
    whole = {"meta": meta, "libs": libs, "threads": process["threads"], "processes": []}
json.dump(whole, sys.stdout, separators=(",", ":"))
