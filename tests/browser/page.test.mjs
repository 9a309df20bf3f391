// SPDX-License-Identifier: Apache-2.0
// The HTML report in a real browser: each thing that a person can do with it, by pointer and by keyboard.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { hasBrowser, hash, open, painted, pixel, reports, read, spoken, startBrowser, stopBrowser, unfold } from "./setup.mjs";

const MARSHAL = "encoding/json.Marshal";
const ORDERS = "github.com/acme/shop/api.(*Server).Orders";

async function withPage(kind, options, body) {
  const page = await open(kind, options);
  await body(page);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const focusGraph = (page) => page.locator("#graph-tree").focus();
const crumbs = (page) => page.locator("#crumbs button").allTextContents();

describe("report page", { skip: hasBrowser ? false : "no chromium" }, () => {
  before(startBrowser);
  after(stopBrowser);

  test("reads without script", () =>
    withPage("service", { javaScriptEnabled: false }, async (page) => {
      assert.match(await page.locator("h1").textContent(), /^FAIL .*Orders grew from 7\.8% to 16\.8% of cpu at src\/service\.go:11$/);
      assert.equal(await page.locator("#findings details.cause").count(), 1);
      assert.equal(await page.locator("#findings details.cause tbody tr").count(), 3);
      assert.ok(await page.locator("#findings .way").isVisible(), "the first cause is open");
      await page.locator("#findings details.cause > summary").click();
      assert.ok(!(await page.locator("#findings .way").isVisible()), "a cause folds to a line");
      await page.locator("#findings details.cause > summary").click();
      await page.locator("#how > summary").click();
      assert.ok(await page.locator("#how li").first().isVisible());
      await page.locator("#findings summary", { hasText: "3 findings" }).click();
      assert.ok(await page.locator("#findings td.budget").first().isVisible());
      assert.ok(await page.locator("#graph-static svg.flame").isVisible());
      assert.ok(await page.locator("#frames-static table").isVisible());
      assert.ok(!(await page.locator("#live").isVisible()));
    }));

  test("comes alive and asks for nothing", () =>
    withPage("service", {}, async (page) => {
      assert.ok(await page.locator("#live").isVisible());
      assert.ok(!(await page.locator("#graph-static").isVisible()));
      assert.ok(Number(await page.evaluate(() => document.documentElement.dataset.painted)) >= 17);
    }));

  test("a click zooms, Back and the crumbs return", () =>
    withPage("service", {}, async (page) => {
      const box = await page.locator("#graph-canvas").boundingBox();
      await page.mouse.click(box.x + box.width * 0.5, box.y + 2 * 20 + 10);
      assert.deepEqual(await crumbs(page), ["all", "runtime.main", "net/http.(*conn).serve"]);
      assert.match(await hash(page), /^z=\d+$/);
      await page.locator("#c-back").click();
      assert.deepEqual(await crumbs(page), ["all"]);
      assert.ok(await page.locator("#c-back").isDisabled());
      await page.mouse.click(box.x + box.width * 0.5, box.y + 3 * 20 + 10);
      await page.locator("#crumbs button").nth(1).click();
      assert.deepEqual(await crumbs(page), ["all", "runtime.main"]);
      await page.locator("#c-reset").click();
      assert.equal(await hash(page), "");
    }));

  test("the browser's own Back follows", () =>
    withPage("service", {}, async (page) => {
      await focusGraph(page);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      assert.equal((await crumbs(page)).length, 2);
      await page.goBack();
      assert.deepEqual(await crumbs(page), ["all"]);
    }));

  test("arrow keys walk the boxes and say what they are", () =>
    withPage("service", {}, async (page) => {
      await focusGraph(page);
      assert.match(await spoken(page), /^all, baseline 100.0%/);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^runtime\.main, baseline 82\.\d%/);
      await page.keyboard.press("ArrowRight");
      assert.match(await spoken(page), /^runtime\.mcall,/);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      assert.match(await spoken(page), /^net\/http\.\(\*conn\)\.serve,/);
      const item = page.locator("#graph-tree [role=treeitem]");
      assert.equal(await item.getAttribute("aria-level"), "3");
      assert.equal(await page.locator("#graph-tree").getAttribute("aria-activedescendant"), await item.getAttribute("id"));
      await page.keyboard.press("Enter");
      assert.equal((await crumbs(page)).length, 3);
      await page.keyboard.press("Backspace");
      assert.equal((await crumbs(page)).length, 1);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Home");
      assert.equal((await crumbs(page)).length, 1);
    }));

  test("flame direction turns the arrows", () =>
    withPage("service", { fragment: "#o=flame" }, async (page) => {
      await focusGraph(page);
      await page.keyboard.press("ArrowUp");
      assert.match(await spoken(page), /^runtime\.main,/);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^all,/);
    }));

  test("merged by callee has the leaves first", () =>
    withPage("service", {}, async (page) => {
      await page.locator("#c-view").selectOption("callees");
      await focusGraph(page);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^compress\/gzip\.\(\*Writer\)\.Write,/);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^net\/http\.\(\*conn\)\.serve,/);
      assert.equal(await hash(page), "v=callees");
    }));

  test("widths change what is seen", () =>
    withPage("service", {}, async (page) => {
      const boxes = {};
      for (const mode of ["both", "base", "canary", "change"]) {
        await page.locator("#c-width").selectOption(mode);
        await painted(page);
        boxes[mode] = Number(await page.evaluate(() => document.documentElement.dataset.painted));
      }
      assert.equal(boxes.base, boxes.both - 1, "the new frame has no width in the baseline");
      assert.equal(boxes.canary, boxes.both - 1, "the vanished frame has no width in the canary");
      assert.ok(boxes.change > 0);
      assert.match(await page.locator("#legend-width").textContent(), /all change of self shares/);
    }));

  test("only significant changes have a colour", () =>
    withPage("tiny", {}, async (page) => {
      await painted(page);
      const grey = "#dcdee1";
      assert.deepEqual([await pixel(page, 0.3, 0), await pixel(page, 0.3, 1), await pixel(page, 0.3, 2), await pixel(page, 0.03, 2)],
        [grey, grey, grey, grey]);
    }));

  test("the canvas and the static picture agree, box by box", () =>
    withPage("service", {}, async (page) => {
      await painted(page);
      const boxes = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const groups = document.querySelectorAll("#graph-static svg.flame > g:has(title)");
        return Array.from(groups, (g) => {
          const rect = g.querySelector("rect");
          const at = (name) => Number(rect.getAttribute(name));
          const step = (g.getAttribute("class") || "n").match(/\b([gs]\d|n)\b/);
          return { x: (at("x") + at("width") * 0.5) / 1200, row: (at("y") - 92) / 18, name: g.querySelector("title").textContent.split("\n")[0],
            colour: style.getPropertyValue("--" + (step ? step[1] : "n")).trim() };
        });
      });
      assert.equal(boxes.length, 18);
      for (const box of boxes) assert.equal(await pixel(page, box.x, box.row), box.colour, box.name);
      assert.equal(new Set(boxes.map((box) => box.colour)).size, 4, "grey, growth of two strengths, and shrinking");
    }));

  for (const kind of ["service", "tiny", "unsure", "hostile"]) {
    test(`the live table reads as the static one: ${kind}`, () =>
      withPage(kind, {}, async (page) => {
        const rows = await page.evaluate(() => {
          const cells = (body) => Array.from(document.querySelectorAll(body + " tr:not(.spacer)"), (tr) =>
            Array.from(tr.cells, (cell) => cell.textContent));
          return { fixed: cells("#frames-static tbody"), live: cells("#t-body") };
        });
        assert.ok(rows.fixed.length > 1);
        const hidden = [8, 12]; // intervals of self and cumulative costs, which only a copy has
        rows.fixed.forEach((fixed, i) =>
          assert.deepEqual(rows.live[i].slice(1), fixed.filter((_, column) => !hidden.includes(column)).slice(1), fixed[0]));
        const heads = await page.evaluate(() => ["#frames-static table", "#t-table"].map((table) =>
          Array.from(document.querySelector(table).tHead.querySelectorAll("th"), (th) => th.textContent)));
        const first = heads[0].indexOf("95% interval");
        assert.deepEqual(heads[1], heads[0].filter((text, i) => text !== "95% interval" || i === first));
      }));
  }

  test("a live box reads as its static one", () =>
    withPage("service", {}, async (page) => {
      const titles = await page.evaluate(() => Array.from(document.querySelectorAll("#graph-static svg.flame > g > title"),
        (title) => title.textContent.replaceAll("\n", ", ")));
      const words = new Set();
      for (const button of await page.locator("#t-body button").all()) {
        await button.click();
        const live = (await spoken(page)).replace(/ \(95% CI about [^)]*\)/, "");
        assert.ok(titles.includes(live), live + " is not in\n" + titles.join("\n"));
        words.add(live.split(", ").pop());
      }
      assert.deepEqual([...words].sort(), ["breaks a budget", "grew", "new", "vanished", "within noise"]);
    }));

  test("growth is red and the safe palette orange, in light and dark", async () => {
    const seen = {};
    for (const colorScheme of ["light", "dark"]) {
      for (const palette of ["red", "safe"]) {
        await withPage("service", { colorScheme, fragment: "#p=" + palette }, async (page) => {
          await unfold(page);
          await page.locator("#findings button").first().click();
          await page.keyboard.press("Escape");
          await painted(page);
          const style = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--g5").trim());
          const row = await page.evaluate(() => 4);
          const colours = [];
          for (let x = 0.3; x < 0.7; x += 0.01) colours.push(await pixel(page, x, row));
          assert.ok(colours.includes(style), `${colorScheme} ${palette}: ${style} in ${colours}`);
          seen[colorScheme + palette] = style;
        });
      }
    }
    assert.equal(new Set(Object.values(seen)).size, 4);
  });

  test("search counts matches and their shares", () =>
    withPage("service", {}, async (page) => {
      await focusGraph(page);
      await page.keyboard.press("/");
      await page.keyboard.type("json|reflect");
      assert.match(await page.locator("#search-result").textContent(),
        /^2 boxes of 2 functions: 7\.8% of the baseline, 16\.8% of the canary$/);
      assert.match(await hash(page), /^q=/);
      await page.keyboard.type("(");
      assert.match(await page.locator("#search-result").textContent(), /not a regular expression/);
      assert.equal(await page.locator("#c-search").getAttribute("aria-invalid"), "true");
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("#search-result").textContent(), "");
      await page.locator("#c-search").fill("JSON");
      assert.match(await page.locator("#search-result").textContent(), /^0 boxes/);
    }));

  test("the tooltip has both shares, values, change, interval and significance", () =>
    withPage("service", {}, async (page) => {
      await unfold(page);
          await page.locator("#findings button").first().click();
      await page.locator("#graph-canvas").scrollIntoViewIfNeeded();
      const box = await page.locator("#graph-canvas").boundingBox();
      await page.mouse.move(box.x + box.width * 0.42, box.y + 3 * 20 + 10);
      const tip = await page.locator("#tip").innerText();
      assert.match(tip, /api\.\(\*Server\)\.Orders/);
      assert.match(tip, /baseline 16\.5% +3\.02s/);
      assert.match(tip, /canary 23\.8% +4\.76s/);
      assert.match(tip, /\+7\.3 pp \(95% CI about \[[-+]\d/);
      assert.match(tip, /\ngrew, breaks a budget\n/, "what breaks a budget is never within noise");
      assert.match(tip, /function's charged: 7\.8% → 16\.8%, \+9\.0 pp \(95% CI \[\+7\.0, \+11\.1\]\)/);
      await page.mouse.move(5, 5);
      assert.ok(!(await page.locator("#tip").isVisible()));
    }));

  test("a cause leads to its box and to its row", () =>
    withPage("service", {}, async (page) => {
      await unfold(page);
      const cause = page.locator("#findings details.cause .what");
      await cause.getByRole("button", { name: "Show in graph" }).click();
      assert.ok((await spoken(page)).startsWith(ORDERS + ", baseline 16.5%"));
      assert.equal(await page.evaluate(() => document.activeElement.id), "graph-tree");
      await cause.getByRole("button", { name: "Show in table" }).click();
      assert.equal(await page.evaluate(() => document.activeElement.textContent), ORDERS);
      await page.keyboard.press("Enter");
      assert.ok((await spoken(page)).startsWith(ORDERS));
    }));

  test("a cause unfolds by key, and leads to the view that is shown", () =>
    withPage("service", { fragment: "#v=callees" }, async (page) => {
      const summary = page.locator("#findings details.cause > summary");
      await summary.focus();
      await page.keyboard.press("Enter");
      assert.ok(!(await page.locator("#findings .way").isVisible()));
      await page.keyboard.press("Enter");
      assert.ok(await page.locator("#findings .way").isVisible());
      await page.locator("#findings details.cause .what").getByRole("button", { name: "Show in graph" }).click();
      assert.equal(await page.locator("#c-view").inputValue(), "callers", "leaves have no path to it");
      await page.locator("#c-own").check();
      await page.locator("#findings details.cause .what").getByRole("button", { name: "Show in graph" }).click();
      assert.ok(await page.locator("#c-own").isChecked());
      assert.ok((await spoken(page)).startsWith(ORDERS));
    }));

  test("libraries charged to callers leaves one's own code and the runtime's roots", () =>
    withPage("service", {}, async (page) => {
      await page.locator("#c-own").check();
      await focusGraph(page);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^runtime\.main,/);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /^github\.com\/acme\/shop\/api\.\(\*Server\)\.Search, baseline 38\.2%/);
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), /Search,/, "what it calls is charged to it");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Home");
      await page.locator("#c-search").fill("scanobject");
      assert.match(await page.locator("#search-result").textContent(), /^1 box of 1 function/, "the collector stays whole");
      assert.equal(await hash(page), "own=true&q=scanobject");
      assert.ok(await page.locator("#legend-broken").isVisible());
    }));

  test("the box of a failing cause has an edge of its own", () =>
    withPage("service", {}, async (page) => {
      await painted(page);
      const edge = (await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--broken"))).trim();
      const seen = await page.evaluate((row) => {
        const canvas = document.getElementById("graph-canvas");
        const ratio = window.devicePixelRatio || 1;
        const line = canvas.getContext("2d").getImageData(0, Math.round((row * 20 + 1) * ratio), canvas.width, 1).data;
        const colours = new Set();
        for (let i = 0; i < line.length; i += 4)
          colours.add("#" + [line[i], line[i + 1], line[i + 2]].map((part) => part.toString(16).padStart(2, "0")).join(""));
        return [...colours];
      }, 3);
      assert.ok(seen.includes(edge), `${edge} in ${seen}`);
      assert.equal(await page.locator("#graph-static g.broken").count(), 1);
    }));

  test("callers and callees of a function, by key and by button", () =>
    withPage("service", {}, async (page) => {
      await unfold(page);
      await page.locator("#findings details.cause").getByRole("button", { name: "Callers and callees" }).click();
      assert.deepEqual(await crumbs(page), ["all", "callers and callees of " + ORDERS]);
      assert.match(await spoken(page), /^github\.com\/acme\/shop\/api\.\(\*Server\)\.Orders, baseline 16\.5%/);
      await page.keyboard.press("ArrowUp");
      assert.match(await spoken(page), /^net\/http\.\(\*conn\)\.serve, baseline 16\.5%/);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      assert.match(await spoken(page), new RegExp("^" + MARSHAL + ", baseline 7\\.8%"));
      await page.keyboard.press("c");
      assert.match((await crumbs(page))[1], /encoding\/json\.Marshal/);
      await page.keyboard.press("Backspace");
      assert.match((await crumbs(page))[1], /Orders/);
      await page.keyboard.press("Home");
      assert.equal(await hash(page), "");
      await page.locator("#findings details.cause.fail .what").getByRole("button", { name: "Show in graph" }).click();
      assert.match(await page.locator("#search-result").textContent(), /^1 box of 1 function/);
      await page.keyboard.press("c");
      assert.equal(await page.locator("#search-result").textContent(), "", "marks do not dim the sandwich");
      await page.locator("#c-search").fill("reflect");
      assert.match(await page.locator("#search-result").textContent(), /^1 box of 1 function: 3\.3%/);
      await page.locator("#c-search").press("Escape");
      await page.locator("#graph-tree").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      await page.locator("#sel-sandwich").click();
      assert.match((await crumbs(page))[1], /runtime\.main/);
    }));

  test("the table sorts, filters, walks and copies", () =>
    withPage("service", {}, async (page) => {
      const names = () => page.locator("#t-body th button").allTextContents();
      assert.equal((await names())[0], ORDERS, "what is charged most");
      await page.locator('th[data-key="name"] button').click();
      assert.equal((await names())[0], "compress/gzip.(*Writer).Write");
      assert.equal(await page.locator('th[data-key="name"]').getAttribute("aria-sort"), "ascending");
      await page.locator('th[data-key="self.canary"] button').click();
      assert.equal((await names())[0], "compress/gzip.(*Writer).Write");
      assert.equal(await page.locator('th[data-key="self.canary"]').getAttribute("aria-sort"), "descending");
      await page.locator("#t-filter").fill("^runtime");
      assert.match(await page.locator("#t-count").textContent(), /^6 of 16 functions/);
      await page.locator("#t-only").check();
      assert.match(await page.locator("#t-count").textContent(), /^0 of 16/);
      await page.locator("#t-only").uncheck();
      await page.locator("#t-filter").fill("");
      await page.locator("#t-body button").first().focus();
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.index), "1");
      await page.keyboard.press("End");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.index), "15");
      await page.locator("#t-copy").click();
      await page.waitForFunction(() => Number(document.documentElement.dataset.copied) > 500);
      assert.match(await page.locator("#announce").textContent(), /16 rows copied/);
    }));

  test("the fragment holds the whole state, and nonsense in it does no harm", async () => {
    let fragment = "";
    await withPage("service", {}, async (page) => {
      await page.locator("#c-view").selectOption("callees");
      await page.locator("#c-more").click();
      await page.locator("#c-orient").selectOption("flame");
      await page.locator("#c-width").selectOption("canary");
      await page.locator("#c-palette").selectOption("safe");
      await page.locator("#c-search").fill("a&b=c#d");
      await page.locator("#t-filter").fill("run");
      await page.locator('th[data-key="name"] button').click();
      fragment = "#" + (await hash(page));
    });
    await withPage("service", { fragment }, async (page) => {
      assert.equal(await page.locator("#c-view").inputValue(), "callees");
      assert.equal(await page.locator("#c-orient").inputValue(), "flame");
      assert.equal(await page.locator("#c-width").inputValue(), "canary");
      assert.equal(await page.locator("#c-palette").inputValue(), "safe");
      assert.equal(await page.locator("#c-search").inputValue(), "a&b=c#d");
      assert.equal(await page.locator("#t-filter").inputValue(), "run");
      assert.equal(await page.locator('th[data-key="name"]').getAttribute("aria-sort"), "ascending");
    });
    const nonsense = "#z=999999&s=-5&m=1e9&c=77&v=<b>&w=constructor&sort=__proto__:x&q=%5B&f=(&only=maybe";
    await withPage("service", { fragment: nonsense }, async (page) => {
      assert.equal(await page.locator("#c-view").inputValue(), "callers");
    });
  });

  test("hostile names stay text", () =>
    withPage("hostile", {}, async (page) => {
      assert.match(await page.title(), /^FAIL: .* grew from 36\.7% to 47\.2% of .*; 1 budget is undecided - pprofgate$/);
      assert.equal(await page.locator("main img, main b, main script").count(), 0);
      const names = (await page.locator("#t-body th button").allTextContents()).join("\n");
      assert.ok(names.includes("</script><script>document.title='owned'</script>"));
      assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/.test(names));
      await unfold(page);
      for (const button of await page.locator("#findings button").all()) await button.click();
      await page.locator("#c-reset").click();
      await page.locator("#c-search").fill("__proto__|constructor");
      assert.match(await page.locator("#search-result").textContent(), /^2 boxes of 2 functions/);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
      assert.ok(wide, "a long name must not widen the page");
    }));

  for (const [width, height] of [[360, 740], [3840, 2160]]) {
    for (const kind of ["tiny", "service", "hostile"]) {
      test(`fits ${width} pixels: ${kind}`, () =>
        withPage(kind, { viewport: { width, height } }, async (page) => {
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
          assert.ok(await page.locator("#graph-canvas").isVisible());
          await page.setViewportSize({ width: Math.round(width * 0.8), height });
          await painted(page);
          const canvas = await page.locator("#graph-canvas").boundingBox();
          assert.ok(canvas.width <= width * 0.8, "the canvas follows the window");
        }));
    }
  }

  test("several sample types are small graphs to switch between", () =>
    withPage("several", {}, async (page) => {
      const buttons = page.locator("#multiples button");
      assert.deepEqual(await buttons.allTextContents(), ["cpu", "alloc_space"]);
      assert.equal(await buttons.nth(0).getAttribute("aria-pressed"), "true");
      await buttons.nth(1).click();
      assert.equal(await buttons.nth(1).getAttribute("aria-pressed"), "true");
      assert.match(await page.locator("#sel-numbers").textContent(), /GB/);
      assert.equal(await hash(page), "c=1");
      await unfold(page);
      await page.locator("#findings details.cause.fail .what").getByRole("button", { name: "Show in graph" }).click();
      assert.match(await hash(page), /^m=\d+$/);
      assert.match(await spoken(page), /\ds\), canary/);
    }));

  test("of several, that of the first finding is shown first", () =>
    withPage("several", {}, async (page) => {
      const dir = reports("several");
      writeFileSync(join(dir, "second.html"), read(dir, "report.html").replace('data-comparison="0"', 'data-comparison="1"'));
      await page.goto("file://" + join(dir, "second.html"));
      assert.equal(await page.locator("#multiples button").nth(1).getAttribute("aria-pressed"), "true");
      assert.equal(await hash(page), "");
    }));

  test("print shows the picture and the table, no controls", () =>
    withPage("service", {}, async (page) => {
      await page.emulateMedia({ media: "print" });
      assert.ok(await page.locator("#graph-static svg.flame").isVisible());
      assert.ok(!(await page.locator("#live").isVisible()));
      assert.ok(!(await page.locator("#findings button").first().isVisible()));
    }));

  test("a hundred thousand boxes are fluid", () =>
    withPage("large", { more: [100000] }, async (page) => {
      const nodes = await page.evaluate(() => JSON.parse(document.getElementById("report-data").textContent).comparisons[0].trees[0].depth.length);
      assert.ok(nodes >= 95000, `${nodes} nodes`);
      const start = Number(await page.evaluate(() => document.documentElement.dataset.startMs));
      assert.ok(start > 0 && start < 10000, `alive after ${start} ms`);
      const canvas = await page.evaluate(() => document.getElementById("graph-canvas").height);
      assert.ok(canvas < 32767);
      await focusGraph(page);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await painted(page);
      assert.equal((await crumbs(page)).length, 2);
      const rows = await page.locator("#t-body tr").count();
      assert.ok(rows < 120, `${rows} rows in the document`);
    }));

  test("the page stays small at the default minimum share", () => {
    assert.ok(read(reports("service"), "report.html").length < 150000);
  });
});
