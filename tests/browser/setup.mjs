// SPDX-License-Identifier: Apache-2.0
// Renders invented verdicts with the project's own code and opens them in a headless Chromium without network.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = fileURLToPath(new URL(".", import.meta.url));
export const renderer = process.env.RENDER_REPORTS || join(here, "../../build/dev/tests/browser/render_reports");
export const executable = process.env.CHROMIUM || "/usr/bin/chromium";
export const hasBrowser = existsSync(executable);

const root = mkdtempSync(join(tmpdir(), "pprofgate-reports-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

// Directory with all reports of an invented verdict.
export function reports(kind, ...more) {
  const dir = join(root, [kind, ...more].join("-"));
  if (!existsSync(dir)) {
    mkdirSync(dir);
    execFileSync(renderer, [dir, kind, ...more.map(String)], { stdio: ["ignore", "ignore", "inherit"] });
  }
  return dir;
}

export const read = (dir, name) => readFileSync(join(dir, name), "utf8");

let browser;
export async function startBrowser() {
  const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"];
  browser = await chromium.launch({ executablePath: executable, headless: true, args: flags });
  return browser;
}

export const stopBrowser = () => browser.close();

// A page of a report. Anything that the console, the page or the network complains about fails the test that opened it.
export async function open(kind, { fragment = "", more = [], ...options } = {}) {
  const dir = reports(kind, ...more);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  page.complaints = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => !request.url().startsWith("file:") && page.complaints.push("request: " + request.url()));
  await page.goto("file://" + join(dir, "report.html") + fragment);
  if (options.javaScriptEnabled !== false) await page.waitForFunction(() => document.documentElement.dataset.painted);
  return page;
}

// The focused box as a screen reader hears it.
export const spoken = (page) =>
  page.evaluate(() => document.getElementById("graph-tree").firstElementChild.getAttribute("aria-label"));

export const hash = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).toString());

// Everything of the findings in sight.
export const unfold = (page) =>
  page.evaluate(() => { for (const fold of document.querySelectorAll("#findings details")) fold.open = true; });

// Colour of the canvas in the middle of row `row` at `part` of its width.
export const pixel = (page, part, row) =>
  page.evaluate(([p, r]) => {
    const canvas = document.getElementById("graph-canvas");
    const ratio = canvas.width / canvas.clientWidth;
    const scroll = document.getElementById("graph-scroll").scrollTop;
    const at = canvas.getContext("2d").getImageData(Math.round(p * canvas.width), Math.round((r * 20 + 3 - scroll) * ratio), 1, 1);
    return "#" + Array.from(at.data.slice(0, 3), (v) => v.toString(16).padStart(2, "0")).join("");
  }, [part, row]);

// Two frames: what was asked for is painted by then.
export const painted = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
