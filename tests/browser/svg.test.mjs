// SPDX-License-Identifier: Apache-2.0
// The SVG file in a browser: every comparison, one beneath the other.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { hasBrowser, reports, startBrowser, stopBrowser } from "./setup.mjs";

describe("the SVG file", { skip: hasBrowser ? false : "no chromium" }, () => {
  let browser;
  before(async () => { browser = await startBrowser(); });
  after(stopBrowser);

  for (const [kind, names] of [["service", ["cpu"]], ["several", ["cpu", "alloc_space"]]])
    test(`shows every comparison: ${kind}`, async () => {
      const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
      const page = await context.newPage();
      await page.goto("file://" + join(reports(kind), "graph.svg"));
      const graphs = await page.evaluate(() => Array.from(document.querySelectorAll("svg.flame"), (graph) => {
        const at = (selector) => Array.from(graph.querySelectorAll(selector), (element) => element.getBoundingClientRect());
        const boxes = at("g > rect");
        return { title: graph.querySelector(".title").textContent, label: document.getElementById(graph.getAttribute("aria-labelledby")).textContent,
          top: at(".title")[0].top, bottom: Math.max(...boxes.map((box) => box.bottom)), boxes: boxes.length };
      }));
      assert.deepEqual(graphs.map((graph) => graph.title.split(" — ")[0]), names);
      graphs.forEach((graph, i) => {
        assert.ok(graph.boxes > 10);
        assert.ok(graph.label.startsWith(graph.title.replace(/…$/, "")), "each has a name of its own, of which it shows what fits");
        if (i > 0) assert.ok(graph.top > graphs[i - 1].bottom, "beneath the one before, not over it");
        assert.ok(graph.bottom <= 900 && graph.top >= 0);
      });
      await context.close();
    });
});
