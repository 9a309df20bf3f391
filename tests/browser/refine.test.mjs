// SPDX-License-Identifier: Apache-2.0
// Colours of three kinds, refinements of the tree, matches, theme, source links, pictures to keep, two graphs beside.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { hasBrowser, hash, open, painted, spoken, startBrowser, stopBrowser, unfold } from "./setup.mjs";

const ORDERS = "github.com/acme/shop/api.(*Server).Orders";

async function withPage(kind, options, body) {
  const page = await open(kind, options);
  await body(page);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const focusGraph = (page) => page.locator("#graph-tree").focus();
const parts = (page) => page.locator("#search-result").textContent();

// The words of the box of `name`, and whether it has a colour.
async function boxOf(page, name) {
  await page.locator("#t-body button", { hasText: name }).first().click();
  return spoken(page);
}

async function fillMore(page, id, text) {
  if (await page.locator("#more").isHidden()) await page.locator("#c-more").click();
  await page.locator(id).fill(text);
  await page.locator(id).press("Enter");
}

// The picture that the button `id` saves.
async function saved(page, id) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(id).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

describe("colours and refinements", { skip: hasBrowser ? false : "no chromium" }, () => {
  before(startBrowser);
  after(stopBrowser);

  test("untouched code is blue by share alone, when another function makes the total grow", () =>
    withPage("grown", {}, async (page) => {
      assert.match(await page.locator("header .total").textContent(), /^total 20s → 30s; canary used 1\.50x per unit of work \(90% CI .*\); 1\.50x in the same 30s/);
      assert.match(await boxOf(page, "shop.untouched"), /, shrank$/);
      for (const [colour, legend] of [["cost", /\+50\.0% grew/], ["value", /\+50\.0% grew/]]) {
        await page.locator("#c-colour").selectOption(colour);
        assert.match(await boxOf(page, "shop.untouched"), /, within noise$/);
        assert.match(await boxOf(page, "shop.grown"), /, grew$/);
        assert.match((await page.locator("#legend").textContent()), legend);
        assert.match(await hash(page), new RegExp("colour=" + colour));
      }
      await page.locator("#c-colour").selectOption("share");
      assert.match(await page.locator("#legend").textContent(), /colour: the change of share/);
    }));

  test("twice the work for twice the cost is no growth of the cost of per unit of work", () =>
    withPage("busier", {}, async (page) => {
      assert.match(await page.locator("header .total").textContent(), /; canary used 1\.00x per unit of work \(90% CI .*\); 2\.0x in the same 30s/);
      await page.locator("#c-colour").selectOption("cost");
      assert.match(await boxOf(page, "shop.untouched"), /, (within noise|unchanged)$/);
      await page.locator("#c-colour").selectOption("value");
      assert.match(await boxOf(page, "shop.untouched"), /, grew$/);
    }));

  test("where no work is known, there is no colour by it", () =>
    withPage("service", { fragment: "#colour=cost" }, async (page) => {
      assert.ok(await page.locator("#c-colour option[value=cost]").evaluate((option) => option.disabled));
      assert.match(await page.locator("#legend").textContent(), /colour: the change of share/);
    }));

  test("hidden functions go into their callers, and the link keeps them", async () => {
    let fragment = "";
    await withPage("service", {}, async (page) => {
      await fillMore(page, "#c-hide", "^encoding/json");
      await page.locator("#c-search").fill("json");
      assert.match(await parts(page), /^0 boxes/);
      await page.locator("#c-search").fill("reflect");
      assert.match(await parts(page), /^1 box of 1 function: 3\.3% of the baseline, 6\.5% of the canary/);
      await page.locator("#c-search").fill("");
      assert.ok((await boxOf(page, "Orders")).startsWith(ORDERS + ", baseline 16.5%"), "its caller costs what it did");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      assert.match(await spoken(page), /Orders \(self\), baseline 4\.5% .* canary 10\.3%/, "what the hidden one cost itself");
      fragment = "#" + (await hash(page));
    });
    assert.match(fragment, /hide=/);
    await withPage("service", { fragment }, async (page) => {
      assert.equal(await page.locator("#c-hide").inputValue(), "^encoding/json");
      assert.ok(await page.locator("#c-hide").isVisible(), "what refines is in sight");
      await page.locator("#c-reset").click();
      assert.ok(!(await hash(page)).includes("hide"));
    });
  });

  test("functions are hidden while one types, and one step back shows them again", () =>
    withPage("service", {}, async (page) => {
      await page.locator("#c-search").fill("encoding/json");
      assert.match(await parts(page), /^[1-9]/);
      await page.locator("#c-more").click();
      await page.locator("#c-hide").pressSequentially("^encoding/json");
      assert.match(await parts(page), /^0 boxes/);
      await page.locator("#c-back").click();
      assert.match(await parts(page), /^[1-9]/);
      assert.equal(await page.locator("#c-hide").inputValue(), "");
    }));

  test("focus keeps the stacks through a function, with what its callers cost on them", () =>
    withPage("service", {}, async (page) => {
      await fillMore(page, "#c-focus", "json\\.Marshal");
      await focusGraph(page);
      assert.match(await spoken(page), /^all, baseline 7\.8% .* canary 16\.8%/);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^runtime\.main, baseline 7\.8%/);
      await page.locator("#c-search").fill("gzip");
      assert.match(await parts(page), /^0 boxes/);
      await page.locator("#c-view").selectOption("callees");
      await page.locator("#c-search").fill("reflect");
      assert.match(await parts(page), /^1 box of 1 function: 3\.3%/);
      await fillMore(page, "#c-focus", "(");
      assert.equal(await page.locator("#c-focus").getAttribute("aria-invalid"), "true");
    }));

  test("libraries are charged to callers by callee too", () =>
    withPage("service", {}, async (page) => {
      await page.locator("#c-own").check();
      await page.locator("#c-view").selectOption("callees");
      await focusGraph(page);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^github\.com\/acme\/shop\/api\.\(\*Server\)\.Search, baseline 38\.2%/);
      assert.equal(await hash(page), "v=callees&own=true");
    }));

  test("links of before to libraries charged to callers still work", () =>
    withPage("service", { fragment: "#v=owners" }, async (page) => assert.ok(await page.locator("#c-own").isChecked())));

  test("n and N go from match to match", () =>
    withPage("service", {}, async (page) => {
      assert.ok(await page.locator("#c-next").isDisabled());
      await page.locator("#c-search").fill("runtime\\.(sc|find)");
      await page.locator("#c-search").press("Enter");
      const seen = [await spoken(page)];
      for (const key of ["n", "n", "N"]) {
        await page.keyboard.press(key);
        seen.push(await spoken(page));
      }
      const names = seen.map((text) => text.split(",")[0]);
      assert.equal(new Set(names).size, 3);
      assert.equal(names[3], names[1], "N goes back");
      await page.keyboard.press("n");
      await page.keyboard.press("n");
      assert.equal((await spoken(page)).split(",")[0], names[0], "after the last comes the first");
      await page.locator("#c-previous").click();
      assert.match(await page.locator("#announce").textContent(), /^match \d of 3$/);
    }));

  test("the theme is the system's until another is chosen", async () => {
    const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    for (const colorScheme of ["light", "dark"])
      await withPage("service", { colorScheme }, async (page) => {
        const light = "rgb(255, 255, 255)";
        assert.equal((await paper(page)) === light, colorScheme === "light");
        await page.locator("#c-more").click();
        await page.locator("#c-theme").selectOption("dark");
        assert.notEqual(await paper(page), light);
        assert.equal(await hash(page), "theme=dark");
        await page.locator("#c-theme").selectOption("light");
        assert.equal(await paper(page), light);
        await page.locator("#c-theme").selectOption("auto");
        assert.equal((await paper(page)) === light, colorScheme === "light");
      });
  });

  test("the tooltip has the ratio, the cost per unit of work, and the source", () =>
    withPage("grown", {}, async (page) => {
      await unfold(page);
      await page.locator("#graph-canvas").scrollIntoViewIfNeeded();
      const box = await page.locator("#graph-canvas").boundingBox();
      await page.mouse.move(box.x + box.width * 0.1, box.y + 2 * 20 + 10);
      const tip = await page.locator("#tip").innerText();
      assert.match(tip, /\n\d\.\d+x; \d\.\d+x per unit of work\n/);
      assert.match(tip, /src\/service\.go:\d+/);
    }));

  test("a source has a link where its address is known, and only to the web", async () => {
    await withPage("linked", {}, async (page) => {
      await boxOf(page, "Orders");
      const link = page.locator("#sel-source a");
      assert.match(await link.getAttribute("href"), /^https:\/\/code\.example\/shop\/blob\/main\/src\/service\.go#L\d+$/);
      assert.match(await link.getAttribute("rel"), /noopener/);
      await unfold(page);
      const fixed = page.locator("#findings details.cause .source a").first();
      assert.match(await fixed.getAttribute("href"), /^https:\/\/code\.example\/shop\/blob\/main\/src\/service\.go#L\d+$/);
    });
    await withPage("service", {}, async (page) => {
      await boxOf(page, "Marshal");
      assert.equal(await page.locator("#sel-source a").count(), 0);
      assert.match(await page.locator("#sel-source").textContent(), /src\/service\.go:\d+/);
    });
  });

  test("what is shown is kept as SVG and as PNG", () =>
    withPage("service", { acceptDownloads: true }, async (page) => {
      await focusGraph(page);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.locator("#c-more").click();
      const svg = await saved(page, "#c-svg");
      assert.equal(svg.name, "flamegraph.svg");
      const text = svg.bytes.toString();
      const read = await page.evaluate((source) => {
        const doc = new DOMParser().parseFromString(source, "image/svg+xml");
        return { error: doc.querySelector("parsererror") !== null, root: doc.documentElement.nodeName, rects: doc.querySelectorAll("g > rect").length,
          titles: Array.from(doc.querySelectorAll("g > title"), (title) => title.textContent.split("\n")[0]) };
      }, text);
      assert.deepEqual([read.error, read.root], [false, "svg"]);
      assert.ok(read.titles.includes(ORDERS) && !read.titles.includes("runtime.scanobject"), "the zoomed part");
      const png = await saved(page, "#c-png");
      assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
      assert.ok(png.bytes.readUInt32BE(16) >= 1000 && png.bytes.readUInt32BE(20) > 100);
    }));

  test("baseline and canary stand side by side, one above the other where there is no room", async () => {
    for (const width of [1280, 500])
      await withPage("service", { viewport: { width, height: 900 }, fragment: "#beside=true", acceptDownloads: true }, async (page) => {
        await painted(page);
        assert.ok(await page.locator("#c-width").isDisabled());
        assert.match(await page.locator("#legend-width").textContent(), /the baseline; .*the canary/);
        const svg = (await saved(page, "#c-svg")).bytes.toString();
        for (const side of ["baseline", "canary"]) assert.ok(svg.includes(`>${side}: all</text>`), "each graph says which it is");
        await focusGraph(page);
        await page.keyboard.press("ArrowDown");
        const name = await spoken(page);
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        const box = await page.locator("#graph-canvas").boundingBox();
        const rows = Math.round(box.height / 20);
        const at = width > 700 ? [box.width * 0.75, 30] : [box.width * 0.5, (Math.floor(rows / 2) + 2) * 20 + 10];
        await page.mouse.click(box.x + at[0], box.y + at[1]);
        assert.ok(name.length > 0);
        assert.match(await hash(page), /beside=true&z=\d+|z=\d+.*beside=true/, "both zoom as one");
      });
  });

  test("a page without budgets has no verdict, and leads to what changed most", async () => {
    await withPage("diff", { javaScriptEnabled: false }, async (page) => {
      assert.equal(await page.locator("h1").textContent(), "What changed between baseline and canary");
      assert.equal(await page.locator(".verdict, .badge, #findings tr").count(), 0);
      assert.ok(!/\b(PASS|FAIL|budget broken|Rules)\b/.test(await page.locator("body").innerText()));
      assert.ok((await page.locator("#findings .mover summary").first().textContent()).startsWith(ORDERS + " +9.0 pp of cpu, charged 7.8%"));
    });
    await withPage("diff", {}, async (page) => {
      await unfold(page);
      await page.locator("#findings .mover").first().getByRole("button", { name: "Show in graph" }).click();
      assert.ok((await spoken(page)).startsWith(ORDERS));
    });
  });

  test("callers and callees are those by caller, whatever the view", () =>
    withPage("service", { fragment: "#v=callees&own=true" }, async (page) => {
      await boxOf(page, "Orders");
      await page.keyboard.press("c");
      assert.match(await spoken(page), /Orders, baseline 16\.5%/);
      await page.keyboard.press("ArrowUp");
      assert.match(await spoken(page), /^runtime\.main, baseline 16\.5%/, "libraries are charged to their callers");
      await page.locator("#t-body button", { hasText: "Marshal" }).first().click();
      await page.locator("#c-own").uncheck();
      await page.locator("#t-body button", { hasText: "Marshal" }).first().click();
      await page.keyboard.press("c");
      assert.match(await spoken(page), /Marshal, baseline 7\.8%/);
      await page.locator("#c-own").check();
      assert.match(await spoken(page), /Marshal, baseline 7\.8%/, "a function that is folded away has callers all the same");
    }));

  test("nothing that refines harms callers and callees", () =>
    withPage("service", { fragment: "#hide=reflect&colour=value&own=true" }, async (page) => {
      await boxOf(page, "Orders");
      await page.keyboard.press("c");
      assert.match(await spoken(page), /^github\.com\/acme\/shop\/api\.\(\*Server\)\.Orders, baseline 16\.5%/);
      await page.keyboard.press("Backspace");
      assert.ok((await spoken(page)).length > 0);
    }));
});
