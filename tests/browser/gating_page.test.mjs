// SPDX-License-Identifier: Apache-2.0
// The page that gates (packaging/page): profiles are dropped, judged, judged again by other rules, and JUnit is
// downloaded, all without network. PPROFGATE_PAGE is the page. PPROFGATE_SCREENSHOTS is a folder for pictures of it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { hasBrowser, startBrowser, stopBrowser } from "./setup.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = process.env.PPROFGATE_PAGE || join(root, "build/dist/pprofgate-page.html");
const fixture = (name) => join(root, "fixtures", name);
const REGRESSED = { baseline: [1, 2, 3].map((i) => fixture(`go-service/cpu/baseline-${i}.pb.gz`)),
  canary: [1, 2, 3].map((i) => fixture(`go-service/cpu/regression-${i}.pb.gz`)) };

let browser;

// What the console, the page or the network complains about fails the test.
async function withPage(body) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => /^https?:/.test(request.url()) && complaints.push("request: " + request.url()));
  await page.goto("file://" + file);
  await body(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

// Drops files as a file manager does.
async function drop(page, side, paths) {
  const files = paths.map((path) => ({ name: basename(path), text: readFileSync(path).toString("base64") }));
  const transfer = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const { name, text } of all)
      data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
    return data;
  }, files);
  await page.dispatchEvent(`[data-side=${side}]`, "drop", { dataTransfer: transfer });
}

async function judge(page) {
  const before = await page.evaluate(() => Number(document.documentElement.dataset.judged ?? 0));
  await page.getByRole("button", { name: "Judge" }).click();
  await page.waitForFunction((count) => Number(document.documentElement.dataset.judged) > count, before);
  return page.locator("#verdict").textContent();
}

async function picture(page, name) {
  const folder = process.env.PPROFGATE_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

// A file of 100,000 stacks, of which `grown` have a function more.
function stacks(name, grown) {
  const lines = [];
  for (let i = 0; i < 100000; i++)
    lines.push(`main;serve;handler_${i % 900};step_${i % 7919};work_${i}${i < grown ? ";main.planted" : ""} 1`);
  const path = join(mkdtempSync(join(tmpdir(), "pprofgate-page-")), `${name}.collapsed`);
  writeFileSync(path, lines.join("\n") + "\n");
  return path;
}

const dropBoth = async (page, sides) => {
  for (const side of ["baseline", "canary"]) await drop(page, side, sides[side]);
};

describe("the page that gates", { skip: hasBrowser ? false : "no chromium" }, () => {
  before(async () => {
    assert.ok(existsSync(file), `${file} is missing: bash packaging/wasm.sh makes it`);
    browser = await startBrowser();
  });
  after(stopBrowser);

  test("it is one file of less than 4 MB", () => assert.ok(readFileSync(file).length < 4_000_000));

  test("dropped runs get a verdict, the report page and downloads", () =>
    withPage(async (page) => {
      assert.ok(await page.locator("#judge").isDisabled());
      await dropBoth(page, REGRESSED);
      assert.equal(await page.locator("[data-side=canary] li").count(), 3);
      assert.equal(await judge(page), "FAIL");
      assert.match(await page.locator("#text").textContent(), /^FAIL {2}/);
      const report = page.frameLocator("#report");
      await report.locator("#findings").waitFor();
      await page.locator("#report").scrollIntoViewIfNeeded(); // what is out of sight is not painted
      await report.locator("html[data-painted]").waitFor({ state: "attached" });
      await report.getByRole("button", { name: "Show in graph" }).first().click();
      await picture(page, "verdict");
      const [junit] = await Promise.all([page.waitForEvent("download"),
        page.getByRole("button", { name: "Download junit.xml" }).click()]);
      assert.equal(junit.suggestedFilename(), "junit.xml");
      const saved = join(mkdtempSync(join(tmpdir(), "pprofgate-page-")), "junit.xml");
      await junit.saveAs(saved);
      assert.match(readFileSync(saved, "utf8"), /<testsuites[^>]* failures="[1-9]/);
    }));

  test("a dropped summary gets the verdict of its runs", () =>
    withPage(async (page) => {
      await dropBoth(page, { baseline: [fixture("summaries/baseline.pgsum")], canary: [fixture("summaries/regression.pgsum")] });
      assert.equal(await judge(page), "FAIL");
      const expected = readFileSync(fixture("cases/summary_check/expect/output"), "utf8");
      const [text, names] = (await page.locator("#text").textContent()).split("\ncompared: ");
      assert.equal(text, expected.split("\ncompared: ")[0]);
      assert.match(names, /^baseline\/baseline\.pgsum\/baseline-1\.pb\.gz and 2 more with/);
      await page.frameLocator("#report").locator("#findings").waitFor();
    }));

  test("a mistake in the rules is shown with its line and column, and mended rules change the verdict", () =>
    withPage(async (page) => {
      await dropBoth(page, REGRESSED);
      assert.equal(await judge(page), "FAIL");
      await page.locator("#rules").fill('version: 1\nbudgets:\n  - name: loose\n    measure: self\n    limit: {share_incraese: "+90pp"}\n');
      const state = page.locator("#rules-state");
      await state.filter({ hasText: "rules.yml:5:13: unknown key 'share_incraese' (did you mean 'share_increase'?)" }).waitFor();
      assert.equal(await page.locator("#rules").getAttribute("aria-invalid"), "true");
      await page.getByRole("button", { name: "Go to line 5, column 13" }).click();
      const selected = await page.evaluate(() => {
        const editor = document.getElementById("rules");
        return editor.value.slice(editor.selectionStart, editor.selectionEnd);
      });
      assert.match(selected, /^share_incraese/);
      await picture(page, "mistake");
      assert.equal(await judge(page), "ERROR");
      assert.match(await page.locator("#text").textContent(), /rules\.yml:5:13: unknown key/);
      const rules = await page.locator("#rules").inputValue();
      await page.locator("#rules").fill(rules.replace("incraese", "increase"));
      await state.filter({ hasText: "The rules are valid." }).waitFor();
      assert.equal(await judge(page), "PASS");
    }));

  test("the presets of the program can be chosen", () =>
    withPage(async (page) => {
      await page.locator("#preset").selectOption("strict");
      assert.equal(await page.locator("#rules").inputValue(), readFileSync(join(root, "rules/strict.yml"), "utf8"));
    }));

  test("a pair of 100,000 samples is judged, and refused with a reason where memory is short", (context) =>
    withPage(async (page) => {
      const sides = { baseline: [stacks("baseline", 0)], canary: [stacks("canary", 12000)] };
      await dropBoth(page, sides);
      assert.notEqual(await judge(page), "ERROR");
      assert.match(await page.locator("#text").textContent(), /main\.planted[^]*\(new code less what\s+is gone \+12\.0 pp\)/);
      context.diagnostic(`a pair of 100,000 samples: ${await page.locator("#state").textContent()}`);
      await page.locator("#memory").selectOption("64M");
      assert.equal(await judge(page), "ERROR");
      assert.match(await page.locator("#text").textContent(), /more than 67108864 bytes of memory would be needed/);
      await picture(page, "memory");
    }));

  test("a file that is no profile is refused with its name", () =>
    withPage(async (page) => {
      await dropBoth(page, { baseline: [fixture("../LICENSE")], canary: REGRESSED.canary });
      assert.equal(await judge(page), "ERROR");
      assert.match(await page.locator("#text").textContent(), /\/baseline\/LICENSE: /);
      assert.ok(!(await page.locator("#report").isVisible()));
    }));
});
