// SPDX-License-Identifier: Apache-2.0
// A comment of a pull request is about 830 pixels wide: the Markdown fits, its tables without a scroll bar.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { marked } from "marked";
import { hasBrowser, read, reports, startBrowser, stopBrowser } from "./setup.mjs";

// As wide, and as generous with space, as the sites that render it.
const style = `body { margin: 0; padding: 16px; box-sizing: border-box; font: 14px/1.5 sans-serif; overflow-wrap: break-word }
  ul { padding-left: 2em } table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse }
  th, td { padding: 6px 13px; border: 1px solid }
  code { padding: .2em .4em; font: 85% monospace; white-space: break-spaces }`;

describe("Markdown at 830 pixels", { skip: hasBrowser ? false : "no chromium" }, () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(stopBrowser);
  for (const kind of ["service", "hostile", "unsure", "several"])
    test(kind, async () => {
      const page = await browser.newPage({ viewport: { width: 830, height: 900 }, javaScriptEnabled: false });
      const body = marked.parse(read(reports(kind), "report.md"), { gfm: true }).replaceAll("<details>", "<details open>");
      await page.setContent(`<!doctype html><meta charset="utf-8"><style>${style}</style>${body}`);
      const wide = await page.$$eval("html, table", (all) =>
        all.map((one) => [one.tagName, one.scrollWidth, one.clientWidth]).filter(([, needs, has]) => needs > has));
      assert.deepEqual(wide, []);
      assert.ok((await page.$$("tr")).length > 1, "there is a table");
      await page.close();
    });
});
