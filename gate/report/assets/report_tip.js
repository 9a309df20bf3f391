// SPDX-License-Identifier: Apache-2.0
// The tooltip of a box, and where its function's source is.

function tipLine(text, className) {
  if (!text) return;
  const line = document.createElement("div");
  if (className) line.className = className;
  line.textContent = text;
  byId("tip").append(line);
}

function tipMeasures(c, row) {
  for (const measure of data.measures)
    tipLine("function's " + measure + ": " + share(measureShare(c, measure, "base", row)) + " → " +
      share(measureShare(c, measure, "canary", row)) + ", " + points(measureDelta(c, measure, row)) +
      (c.frames[measure].state[row] === "0" ? "" : " (95% CI " + measureInterval(c, measure, row) + ")"),
      "hint");
}

// Top and bottom of a box's row on the screen.
function rowEdges(part, node) {
  const top = byId("graph-canvas").getBoundingClientRect().top + rowOf(part, node) * ROW - byId("graph-scroll").scrollTop;
  return [top, top + ROW];
}

// Beneath the row, else above it: what is pointed at stays in sight.
function placeTip(tip, part, node, x) {
  const [top, bottom] = rowEdges(part, node);
  const height = tip.offsetHeight;
  const below = bottom + 6 + height <= window.innerHeight || top - 6 - height < 0;
  tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (below ? bottom + 6 : top - 6 - height) + "px";
}

function showTip(hit, x) {
  const tip = byId("tip");
  tip.hidden = !hit;
  if (!hit) return;
  const c = current();
  const { part, node } = hit;
  const row = part.tree.frame[node];
  tip.replaceChildren();
  tipLine(boxName(c, part.tree, node), "name");
  tipLine("baseline " + share(shareBase(c, part.tree, node)) + "  " + quantity(c, part.tree.base[node]));
  tipLine("canary " + share(shareCanary(c, part.tree, node)) + "  " + quantity(c, part.tree.canary[node]));
  tipLine(ratioText(c, part.tree, node));
  tipLine(nodeChange(c, part.tree, node));
  tipLine(describeChange(c, part.tree, node));
  if (row >= 0) {
    tipMeasures(c, row);
    tipLine(fileOf(c, row), "hint");
  }
  placeTip(tip, part, node, x);
}

// Where the source of a row is to be seen; "" where nobody said how to get there, or it is not the program's own. Only
// the web is linked to.
function sourceUrl(c, row) {
  const path = c.frames.files[c.frames.file[row]];
  const isThere = path && path[0] !== "/" && !path.includes("..") && c.frames.own[row] === "1";
  if (!isThere || !/^https?:\/\//.test(data.sourceUrl)) return "";
  const steps = visible(path).split("/").map(encodeURIComponent);
  const parts = { path: steps.join("/"), line: String(Math.max(1, c.frames.line[row])) };
  return data.sourceUrl.replace(/\{(path|line)\}/g, (_, part) => parts[part]);
}

// File and line of a row, as a link where there is somewhere to go.
function showSource(place, c, row) {
  const text = row < 0 ? "" : fileOf(c, row);
  const url = row < 0 ? "" : sourceUrl(c, row);
  const shown = document.createElement(url ? "a" : "span");
  shown.textContent = text;
  if (url) Object.assign(shown, { href: url, target: "_blank", rel: "noopener noreferrer" });
  place.replaceChildren(shown);
}
