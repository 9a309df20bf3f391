// SPDX-License-Identifier: Apache-2.0
// What is in sight, at three widths, in light and dark: the fold of a laptop, a telephone, links, the Tab key.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hasBrowser, open, painted, spoken, startBrowser, stopBrowser, unfold } from "./setup.mjs";

const WIDTHS = [[1400, 900], [768, 1024], [390, 844]];
const ORDERS = "github.com/acme/shop/api.(*Server).Orders";

async function withPage(kind, options, body) {
  const page = await open(kind, options);
  await body(page);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

// What stands out of the window to the right, and in nothing that scrolls.
const overflowing = (page) => page.evaluate(() => {
  const scrolls = (element) => element && (/(auto|scroll|hidden)/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  return Array.from(document.body.querySelectorAll("*"))
    .filter((element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.classList.contains("sr"))
    .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 0.5 && !scrolls(element.parentElement))
    .map((element) => element.outerHTML.slice(0, 100));
});

describe("layout", { skip: hasBrowser ? false : "no chromium" }, () => {
  before(startBrowser);
  after(stopBrowser);

  for (const kind of ["service", "many", "several"])
    test(`verdict, causes and the top of the graph are in sight on a laptop: ${kind}`, () =>
      withPage(kind, { viewport: { width: 1400, height: 900 } }, async (page) => {
        const line = Number.parseFloat(await page.evaluate(() => getComputedStyle(document.querySelector(".cause > summary")).lineHeight)) || 24;
        for (const cause of await page.locator("#findings > details.cause").all()) {
          const box = await cause.locator("summary").first().boundingBox();
          assert.ok(box.height < 2 * line, "a cause is one line");
          assert.ok(box.y + box.height < 900);
        }
        const canvas = await page.locator("#graph-canvas").boundingBox();
        assert.ok(canvas.y + 8 * 20 < 900, `the graph begins at ${canvas.y}`);
      }));

  for (const kind of ["service", "many", "several"])
    test(`the table of functions fits a window of 1400 pixels, with its verdict: ${kind}`, () =>
      withPage(kind, { viewport: { width: 1400, height: 900 } }, async (page) => {
        const [scroll, verdict] = [page.locator("#t-scroll"), page.locator("#t-verdict")];
        assert.ok(await scroll.evaluate((box) => box.scrollWidth <= box.clientWidth), "nothing is to be scrolled sideways");
        const [outer, inner] = [await scroll.boundingBox(), await verdict.boundingBox()];
        assert.ok(inner.x + inner.width <= outer.x + outer.width + 1);
      }));

  test("many causes are five lines and a fold", () =>
    withPage("many", {}, async (page) => {
      assert.equal(await page.locator("#findings > details.cause").count(), 5);
      const rest = page.locator("#findings > details.rest");
      assert.equal(await rest.locator("> summary").textContent(), "2 more causes");
      assert.ok(!(await rest.locator("details.cause").first().isVisible()));
      await rest.locator("> summary").click();
      assert.equal(await rest.locator("details.cause").count(), 2);
      assert.ok(await rest.locator("details.cause").first().isVisible());
    }));

  for (const [width, height] of WIDTHS)
    for (const colorScheme of ["light", "dark"])
      for (const kind of ["service", "hostile", "many"])
        test(`nothing overflows: ${width} ${colorScheme} ${kind}`, () =>
          withPage(kind, { viewport: { width, height }, colorScheme, fragment: "#beside=true&s=-1" }, async (page) => {
            assert.deepEqual(await overflowing(page), []);
            await unfold(page);
            await page.locator("#graph-tree").focus();
            await page.keyboard.press("ArrowDown");
            await page.locator("#c-search").fill("a");
            assert.deepEqual(await overflowing(page), []);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
            await page.locator("#t-body button").first().click();
            await page.keyboard.press("c");
            await painted(page);
            assert.deepEqual(await overflowing(page), []);
          }));

  // Pictures of one machine against each other: fonts differ between machines.
  for (const [width, height] of WIDTHS)
    for (const scheme of ["light", "dark"])
      test(`the chosen theme looks as the system's does: ${width} ${scheme}`, async () => {
        const pictures = [];
        for (const [colorScheme, fragment] of [[scheme, ""], [scheme === "light" ? "dark" : "light", "#theme=" + scheme]])
          await withPage("service", { viewport: { width, height }, colorScheme, fragment }, async (page) => {
            await page.evaluate(() => window.scrollTo(0, 0));
            await page.waitForTimeout(100);
            await painted(page);
            pictures.push(await page.screenshot({ fullPage: true, animations: "disabled" }));
          });
        assert.ok(pictures[0].equals(pictures[1]), `${pictures[0].length} and ${pictures[1].length} bytes`);
      });

  test("a tap's tooltip stands beside what was tapped", () =>
    withPage("service", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
      await page.locator("#graph-canvas").scrollIntoViewIfNeeded();
      for (const row of [1, 3, 4]) {
        await page.locator("#c-reset").tap();
        await painted(page);
        await page.waitForTimeout(50);
        const box = await page.locator("#graph-canvas").boundingBox();
        const y = box.y + row * 20 + 10;
        await page.touchscreen.tap(box.x + box.width * 0.5, y);
        await painted(page);
        assert.ok(await page.locator("#tip").isVisible(), "a tap has a tooltip");
        const tip = await page.locator("#tip").boundingBox();
        assert.ok(tip.y >= y + 9 || tip.y + tip.height <= y - 9, `row ${row}: ${JSON.stringify(tip)} covers ${y}`);
        assert.ok(tip.x >= 0 && tip.x + tip.width <= 390);
      }
      await page.locator("h1").tap();
      assert.ok(!(await page.locator("#tip").isVisible()), "a tap elsewhere takes it away");
    }));

  test("the graph is one stop of the Tab key, before and after which are its neighbours", () =>
    withPage("service", {}, async (page) => {
      await page.locator("#c-more").focus();
      const stops = [];
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press("Tab");
        const here = await page.evaluate(() => ({ id: document.activeElement.id, inGraph: document.getElementById("graph-scroll").contains(document.activeElement) }));
        stops.push(here);
        if (stops.some((stop) => stop.inGraph) && !here.inGraph) break;
      }
      assert.deepEqual(stops.filter((stop) => stop.inGraph).map((stop) => stop.id), ["graph-tree"]);
      await page.keyboard.press("Shift+Tab");
      assert.equal(await page.evaluate(() => document.activeElement.id), "graph-tree");
    }));

  test("a link scrolls to what it shows", async () => {
    const inSight = (page, id) => page.evaluate((name) => {
      const box = document.getElementById(name).getBoundingClientRect();
      return box.top < window.innerHeight && box.top >= -1;
    }, id);
    const small = { viewport: { width: 900, height: 500 } };
    let fragment = "";
    await withPage("many", small, async (page) => {
      assert.equal(await page.evaluate(() => window.scrollY), 0, "nothing asked for, nothing scrolled");
      await unfold(page);
      await page.locator("#findings .what").last().getByRole("button", { name: "Show in graph" }).click();
      fragment = new URL(page.url()).hash;
    });
    await withPage("many", { ...small, fragment }, async (page) => {
      assert.ok(await inSight(page, "graph"));
      assert.match(await spoken(page), /^example\.com\/shop\/part\d/, "and to the box");
    });
    await withPage("service", { ...small, fragment: "#q=Orders" }, async (page) => {
      assert.ok(await inSight(page, "graph"));
      assert.ok((await spoken(page)).startsWith(ORDERS));
    });
    await withPage("service", { ...small, fragment: "#f=json" }, async (page) => assert.ok(await inSight(page, "frames")));
  });

  test("what is not decided is not drawn in the colour of growth", () =>
    withPage("unsure", {}, async (page) => {
      await unfold(page);
      const seen = await page.evaluate(() => {
        const probe = document.createElement("i");
        document.body.append(probe);
        const colour = (name) => {
          probe.style.color = getComputedStyle(document.documentElement).getPropertyValue(name);
          return getComputedStyle(probe).color;
        };
        return { ranges: Array.from(document.querySelectorAll("#findings .inconclusive .range"), (range) => getComputedStyle(range).fill),
          numbers: Array.from(document.querySelectorAll("#findings .inconclusive .number"), (cell) => getComputedStyle(cell).color),
          reds: ["--g4", "--grew-ink", "--fail"].map(colour) };
      });
      assert.ok(seen.ranges.length > 0 && seen.numbers.length > 0);
      const cells = await page.evaluate(() => Array.from(document.querySelectorAll("#t-body tr, #frames-static tbody tr"), (tr) => ({
        verdict: tr.cells[tr.cells.length - 1].textContent, isRed: tr.querySelector(".grew") !== null })));
      assert.equal(cells.filter((row) => row.verdict === "not decided" && !row.isRed).length, 2, "one row in each table");
      for (const shown of [...seen.ranges, ...seen.numbers]) assert.ok(!seen.reds.includes(shown), shown);
    }));
});
