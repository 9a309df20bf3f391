// SPDX-License-Identifier: Apache-2.0
// The other outputs, taken apart by readers that other people wrote.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import Ajv2020 from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";
import { parse as parseJunit } from "junit2json";
import { marked } from "marked";
import { parse as parseHtml } from "parse5";
import testResults from "test-results-parser";
import { read, reports } from "./setup.mjs";

const KINDS = ["service", "hostile", "tiny", "unsure", "several"];
const schema = JSON.parse(readFileSync(new URL("../../docs/report.schema.json", import.meta.url)));

// The schema lets keys be added; ours must all be in it, or the documentation lags behind.
function closed(node) {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== "object") return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  if (copy.properties && copy.type === "object") copy.additionalProperties = false;
  return copy;
}

for (const kind of KINDS) {
  describe(kind, () => {
    const dir = reports(kind);

    test("JSON keeps to its schema, and every key is documented", () => {
      const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
      for (const wanted of [schema, closed(schema)]) {
        const valid = ajv.compile(wanted);
        assert.ok(valid(JSON.parse(read(dir, "report.json"))), JSON.stringify(valid.errors, null, 1));
      }
    });

    test("JUnit is read alike by two readers", async () => {
      const report = JSON.parse(read(dir, "report.json"));
      const failed = report.budgets.filter((b) => b.outcome === "fail").length;
      const errors = report.budgets.filter((b) => b.outcome === "inconclusive").length;
      for (const flavor of ["junit.xml", "junit-strict.xml"]) {
        const one = await parseJunit(read(dir, flavor));
        const cases = one.testsuite[0].testcase;
        assert.equal(cases.length, report.budgets.length);
        assert.equal(cases.filter((c) => c.failure).length, failed);
        assert.equal(cases.filter((c) => c.error).length, errors);
        const two = testResults.parse({ type: "junit", files: [join(dir, flavor)] });
        const states = two.suites[0].cases.map((c) => c.status);
        assert.equal(states.length, report.budgets.length);
        assert.equal(states.filter((state) => state === "FAIL").length, failed + errors);
      }
    });

    test("Markdown lists each cause once, without markup of its own", () => {
      const report = JSON.parse(read(dir, "report.json"));
      const html = marked.parse(read(dir, "report.md"), { gfm: true });
      const told = read(dir, "report.md").match(/^- .* \u2192 .*[-+]?[\d.]+ pp/gm) || [];
      assert.equal(told.length, report.causes.length);
      assert.equal((html.match(/charged = its own cost plus the library and runtime cost/g) || []).length, report.causes.length ? 1 : report.comparisons ? 2 : 1);
      assert.ok(!/<(script|img|b|em|strong|del|a)[ >]/.test(html), html);
      assert.ok(!/@(user|everyone)/.test(html));
      assert.match(html, /<h2[^>]*>[^<]*pprofgate: (PASS|FAIL|INCONCLUSIVE)/);
    });

    test("the page is HTML without a parse error", () => {
      const errors = [];
      parseHtml(read(dir, "report.html"), { sourceCodeLocationInfo: true, onParseError: (e) => errors.push(e.code + ":" + e.startLine) });
      assert.deepEqual(errors, []);
    });

    test("GitHub commands stand on their own lines and within the limits", () => {
      const lines = read(dir, "github.txt").split("\n").filter(Boolean);
      for (const line of lines) assert.match(line, /^::(error|warning|notice) title=pprofgate[^:]*::\S/);
      assert.ok(lines.filter((line) => line.startsWith("::error")).length <= 10);
      assert.ok(!lines.join("").includes("##["));
    });

    test("no line of the terminal report is a command for a runner", () => {
      for (const line of read(dir, "report.txt").split("\n")) assert.ok(!/^\s*::|##\[/.test(line), line);
    });

    test("code quality has what GitLab asks for", () => {
      const issues = JSON.parse(read(dir, "codequality.json"));
      for (const issue of issues) {
        assert.ok(issue.description && issue.check_name && issue.location.path);
        assert.match(issue.fingerprint, /^[0-9a-f]{64}$/);
        assert.ok(["info", "minor", "major", "critical", "blocker"].includes(issue.severity));
        assert.ok(issue.location.lines.begin >= 1);
      }
      assert.equal(new Set(issues.map((issue) => issue.fingerprint)).size, issues.length);
    });

    test("SARIF keeps to the schema of the standard, and marks what code quality marks", () => {
      const name = "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
      const valid = new AjvDraft04({ allErrors: true, strict: false, validateFormats: false, unicodeRegExp: false })
        .compile(JSON.parse(readFileSync(createRequire(import.meta.url).resolve(name))));
      const report = JSON.parse(read(dir, "code.sarif"));
      assert.ok(valid(report), JSON.stringify(valid.errors, null, 1));
      const rules = report.runs[0].tool.driver.rules.map((rule) => rule.id);
      assert.equal(new Set(rules).size, rules.length);
      const issues = JSON.parse(read(dir, "codequality.json"));
      const places = report.runs[0].results.map((result) => {
        assert.ok(rules.includes(result.ruleId));
        assert.ok(!/\]\(|\{\d/.test(result.message.text), result.message.text);
        const place = result.locations[0].physicalLocation;
        return [decodeURIComponent(place.artifactLocation.uri), place.region.startLine, result.partialFingerprints["pprofgateCause/v1"]];
      });
      assert.deepEqual(places, issues.map((issue) => [issue.location.path, issue.location.lines.begin, issue.fingerprint]));
    });

    test("OpenMetrics is read by Prometheus' own parser", { skip: !process.env.PROMETHEUS_PYTHON && "no PROMETHEUS_PYTHON" }, () => {
      const program = "import sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n" +
        "for f in parse(open(sys.argv[1], encoding='utf-8').read()):\n  print(f.name, f.type, len(f.samples))\n";
      const out = execFileSync(process.env.PROMETHEUS_PYTHON, ["-c", program, join(dir, "metrics.txt")]).toString();
      assert.match(out, /^pprofgate_verdict stateset 5$/m);
      assert.match(out, /^pprofgate_share_ratio gauge \d+$/m);
    });

    test("stacks add up to the totals, in both formats", () => {
      const report = JSON.parse(read(dir, "report.json"));
      const totals = [0, 0];
      for (const line of read(dir, "stacks.folded").trim().split("\n")) {
        const [, base, canary] = line.match(/^.+ (\d+) (\d+)$/);
        totals[0] += Number(base);
        totals[1] += Number(canary);
      }
      assert.deepEqual(totals, [report.baseline.total, report.canary.total]);
      const scope = JSON.parse(read(dir, "speedscope.json"));
      scope.profiles.forEach((profile) => {
        assert.equal(profile.samples.length, profile.weights.length);
        assert.equal(profile.weights.reduce((a, b) => a + b, 0), profile.endValue);
        assert.ok(profile.samples.flat().every((frame) => frame < scope.shared.frames.length));
      });
      assert.deepEqual(scope.profiles.slice(0, 2).map((p) => p.endValue), totals);
    });
  });
}
