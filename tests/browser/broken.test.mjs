// SPDX-License-Identifier: Apache-2.0
// What breaks a budget is drawn as broken wherever the page shows it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hasBrowser, open, painted, spoken, startBrowser, stopBrowser, unfold } from "./setup.mjs";

const TOTAL = "example.com/shop/orders.Total";

async function withPage(kind, options, body) {
  const page = await open(kind, options);
  await body(page);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

describe("what breaks a budget", { skip: hasBrowser ? false : "no chromium" }, () => {
  before(startBrowser);
  after(stopBrowser);

  test("a self budget leads to the box of what the function costs itself", () =>
    withPage("self", {}, async (page) => {
      await unfold(page);
      const cause = page.locator("#findings details.cause.fail");
      await cause.locator(".what").getByRole("button", { name: "Show in graph" }).click();
      assert.match(await spoken(page), new RegExp("^" + TOTAL + " \\(self\\), baseline 10\\.0% .* grew, breaks a budget$"));
      assert.ok(await page.locator("#legend-broken").isVisible());
      await page.locator("#graph-tree").press("ArrowUp");
      assert.ok((await spoken(page)).startsWith(TOTAL + ", baseline 40.0%"), "its function stands above it");
      await cause.locator("tr[data-frame]").getByRole("button", { name: "Show in graph" }).click();
      assert.match(await spoken(page), /\(self\)/);
    }));

  test("no finding is called noise, in the graph, in callers and callees, in the picture", () =>
    withPage("self", {}, async (page) => {
      await unfold(page);
      for (const button of await page.locator("#findings").getByRole("button", { name: "Show in graph" }).all()) {
        await button.click();
        assert.match(await spoken(page), /(breaks a budget|not decided)$/);
      }
      await page.locator("#findings details.cause.fail").getByRole("button", { name: "Callers and callees" }).click();
      await page.locator("#graph-tree").press("ArrowDown");
      await page.locator("#graph-tree").press("ArrowRight");
      assert.match(await spoken(page), /\(self\), .*breaks a budget$/);
      const titles = await page.evaluate(() => Array.from(document.querySelectorAll("#graph-static g.broken title"), (t) => t.textContent));
      assert.equal(titles.filter((title) => title.startsWith("example.com/shop/orders.Total (self)")).length, 1);
      assert.ok(titles.every((title) => title.includes("breaks a budget") && !title.includes("noise")));
    }));

  test("the box of own cost is red and has a thick edge", () =>
    withPage("self", {}, async (page) => {
      await painted(page);
      const seen = await page.evaluate(() => {
        const canvas = document.getElementById("graph-canvas");
        const ratio = canvas.width / canvas.clientWidth;
        const style = getComputedStyle(document.documentElement);
        const line = canvas.getContext("2d").getImageData(0, Math.round((3 * 20 + 4) * ratio), canvas.width, 1).data;
        const colours = new Set();
        for (let i = 0; i < line.length; i += 4)
          colours.add("#" + [line[i], line[i + 1], line[i + 2]].map((part) => part.toString(16).padStart(2, "0")).join(""));
        return { grew: colours.has(style.getPropertyValue("--g5").trim()), edge: colours.has(style.getPropertyValue("--broken").trim()) };
      });
      assert.ok(seen.grew && seen.edge);
    }));
});
