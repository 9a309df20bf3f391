// SPDX-License-Identifier: Apache-2.0
// Load and draw times of the page, as the table in docs/report.md: node tests/browser/bench.mjs
import { statSync } from "node:fs";
import { join } from "node:path";
import { open, painted, reports, startBrowser, stopBrowser, unfold } from "./setup.mjs";

const ROUNDS = 5;
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const dataset = (page, key) => page.evaluate((name) => Number(document.documentElement.dataset[name]), key);

// From the key press to the second frame after it.
async function timed(page, act) {
  const from = await page.evaluate(() => performance.now());
  await act();
  await painted(page);
  return (await page.evaluate(() => performance.now())) - from;
}

async function measure(more) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) {
    const page = await open("large", { more, viewport: { width: 1920, height: 1080 } });
    const one = {
      start: await dataset(page, "startMs"),
      ready: await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd),
      paint: await dataset(page, "paintMs"),
      drawn: await dataset(page, "painted"),
    };
    await page.locator("#graph-tree").focus();
    await page.keyboard.press("ArrowDown");
    one.zoom = await timed(page, () => page.keyboard.press("Enter"));
    one.search = await timed(page, () => page.locator("#c-search").fill("pkg3"));
    await unfold(page);
    const callers = page.locator("#findings").getByRole("button", { name: "Callers and callees" }).first();
    one.sandwich = await timed(page, () => callers.click());
    rounds.push(one);
    await page.context().close();
  }
  return Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, median(rounds.map((one) => one[key]))]));
}

await startBrowser();
console.log("| boxes | page | loaded and alive | of it script | boxes on screen | one painting | zoom | search | callers and callees |");
console.log("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
for (const more of [[10000, 0.001], [10000, 0], [100000, 0.001], [100000, 0]]) {
  const size = statSync(join(reports("large", ...more), "report.html")).size;
  const m = await measure(more);
  const page = await open("large", { more });
  const boxes = await page.evaluate(() => JSON.parse(document.getElementById("report-data").textContent).comparisons[0].trees[0].depth.length);
  await page.context().close();
  const ms = (value) => value.toFixed(0) + " ms";
  console.log(`| ${boxes} | ${(size / 1e6).toFixed(2)} MB | ${ms(m.ready)} | ${ms(m.start)} | ${m.drawn} | ${ms(m.paint)} | ${ms(m.zoom)} | ${ms(m.search)} | ${ms(m.sandwich)} |`);
}
await stopBrowser();
