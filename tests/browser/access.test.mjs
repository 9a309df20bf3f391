// SPDX-License-Identifier: Apache-2.0
// axe-core finds nothing serious, in light and dark, zoomed, searching and in the sandwich.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { hasBrowser, open, startBrowser, stopBrowser, unfold } from "./setup.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// By the debugger's hand, since the page's own policy rightly refuses the script.
async function serious(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations", "passes"] }));
  assert.ok(result.passes.length > 20, "axe looked at the page");
  return result.violations
    .filter((violation) => ["serious", "critical"].includes(violation.impact))
    .map((violation) => violation.id + ": " + violation.nodes.map((node) => node.html.slice(0, 160)).join(" | "));
}

describe("accessibility", { skip: hasBrowser ? false : "no chromium" }, () => {
  before(startBrowser);
  after(stopBrowser);
  for (const kind of ["service", "hostile", "tiny", "unsure", "many", "diff"])
    for (const colorScheme of ["light", "dark"])
      for (const fragment of kind === "many" || kind === "diff" ? [""] : ["", "#p=safe&q=json&theme=dark&beside=true", "#s=2&colour=value"])
        test(`${kind} ${colorScheme} ${fragment}`, async () => {
          const page = await open(kind, { colorScheme, fragment });
          await unfold(page);
          assert.deepEqual(await serious(page), []);
          await page.context().close();
        });
  test("without script", async () => {
    const page = await open("service", { javaScriptEnabled: true, fragment: "" });
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await serious(page), []);
    await page.context().close();
  });
});
