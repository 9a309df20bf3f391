// SPDX-License-Identifier: Apache-2.0
// The live flame graph: what is shown, what is focused, and what keys, pointer and controls do to it.

const state = {
  comparison: 0, view: "callers", own: false, orient: "icicle", width: "both", beside: false,
  colour: "share", palette: "red", theme: "auto", zoom: 0, sandwich: -1, mark: -1, query: "", hide: "", focus: "",
  sort: "", filter: "", only: false,
};
// frame: the animation frame that is asked for
const graph = { parts: [], focus: null, view: null, painted: 0, history: [], boxId: 0, frame: 0, rows: 0 };

const current = () => comparisons[state.comparison];
const say = (text) => { byId("announce").textContent = text; };

// Room for two graphs beside each other; else they stand one above the other.
const BESIDE_WIDTH = 700;

// What callers and callees are merged from: what is shown, by caller; all of it where the function is left out of that.
function sandwichTree(c) {
  const tree = shownTree(c, "callers");
  return tree.frame.includes(state.sandwich) ? tree : c.tree("callers");
}

function sandwichParts(c) {
  const tree = sandwichTree(c);
  const { most } = colouringOf(c, tree);
  return [makePart(c, mergeCallers(c, tree, state.sandwich), state.width, -1, most),
    makePart(c, mergeCallees(c, tree, state.sandwich), state.width, 1, most)];
}

function treeParts(c) {
  const dir = state.orient === "flame" ? -1 : 1;
  const modes = state.beside ? ["base", "canary"] : [state.width];
  const parts = modes.map((mode) => makePart(c, shownTree(c, state.view), mode, dir));
  for (const part of parts) part.zoom = Math.min(state.zoom, part.tree.count - 1);
  if (state.beside) [parts[0].side, parts[1].side] = ["baseline", "canary"];
  return parts;
}

function buildParts() {
  graph.parts = state.sandwich >= 0 ? sandwichParts(current()) : treeParts(current());
  const part = graph.parts[state.sandwich >= 0 ? 1 : 0];
  graph.focus = { part, node: part.zoom };
}

// Rows that the shown subtrees need; parts that grow upwards start at their lowest row.
function placeParts(width) {
  if (state.sandwich >= 0) {
    const up = graph.parts[0].tree.maxDepth;
    graph.parts[0].origin = up;
    graph.parts[1].origin = up;
    return up + graph.parts[1].tree.maxDepth + 1;
  }
  const levels = levelsBelow(graph.parts[0].tree, graph.parts[0].zoom);
  const isWide = width >= BESIDE_WIDTH;
  graph.parts.forEach((part, i) => {
    part.span = isWide && graph.parts.length > 1 ? 0.497 : 1;
    part.left = isWide && i > 0 ? 1 - part.span : 0;
    part.origin = (isWide ? 0 : i * (levels + 1)) + (part.dir > 0 ? 0 : levels - 1);
  });
  return isWide ? levels : graph.parts.length * (levels + 1) - 1;
}

// Measure the window, then paint on the next frame: many changes in one go cost one painting.
function refresh() {
  const scroll = byId("graph-scroll");
  const rows = placeParts(scroll.clientWidth);
  graph.rows = rows;
  byId("graph-space").style.height = rows * ROW + "px";
  const limit = Math.max(160, Math.round(window.innerHeight * 0.72));
  scroll.style.height = Math.min(rows * ROW, limit) + 2 + "px"; // with its border
  graph.view = {
    comparison: current(), matches: matchesOf(current()), colours: readColours(), rowHeight: ROW,
    width: Math.max(100, scroll.clientWidth), height: scroll.clientHeight, scroll: scroll.scrollTop,
    letter: graph.view ? graph.view.letter : 0,
  };
  showMatches(current(), graph.view.matches);
  showSelection();
  repaint();
}

function repaint() {
  if (graph.frame) return;
  graph.frame = requestAnimationFrame(() => {
    graph.frame = 0;
    const scroll = byId("graph-scroll");
    graph.view.scroll = scroll.scrollTop;
    const started = performance.now();
    graph.painted = paint(byId("graph-canvas"), graph.view, graph.parts,
      document.activeElement === byId("graph-tree") || graph.focus.node !== graph.parts[0].zoom ? graph.focus : null);
    document.documentElement.dataset.paintMs = (performance.now() - started).toFixed(1);
    document.documentElement.dataset.painted = String(graph.painted);
  });
}

// Everything is built anew from the state: slower than patching, and never out of step with the URL.
function rebuild() {
  buildParts();
  showControls();
  showCrumbs();
  showLegend();
  refresh();
  if (state.orient === "flame" && state.sandwich < 0) byId("graph-scroll").scrollTop = 1e9;
  if (state.sandwich >= 0) scrollToFocus();
}

function crumb(text, action, isLast) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  if (isLast) button.setAttribute("aria-current", "true");
  button.addEventListener("click", action);
  byId("crumbs").append(button);
}

function showCrumbs() {
  byId("crumbs").replaceChildren();
  const c = current();
  const sandwiched = state.sandwich >= 0;
  const part = graph.parts[0];
  const path = [];
  for (let node = sandwiched ? -1 : part.zoom; node > 0; node = part.tree.parent[node]) path.unshift(node);
  crumb("all", () => go({ zoom: 0, sandwich: -1 }), !sandwiched && path.length === 0);
  if (sandwiched) crumb("callers and callees of " + shorten(frameName(c, state.sandwich), 48), () => {}, true);
  path.forEach((node, i) =>
    crumb(shorten(frameName(c, part.tree.frame[node]), 48), () => go({ zoom: node }), i === path.length - 1));
  byId("crumbs").scrollLeft = byId("crumbs").scrollWidth; // where one is, not where one came from
}

function numbersOf(part, node) {
  const c = current();
  const tree = part.tree;
  return "baseline " + share(shareBase(c, tree, node)) + " (" + quantity(c, tree.base[node]) + "), canary " +
    share(shareCanary(c, tree, node)) + " (" + quantity(c, tree.canary[node]) + "), " + nodeChange(c, tree, node) + ", " +
    describeChange(c, tree, node);
}

function showSelection() {
  const { part, node } = graph.focus;
  const row = part.tree.frame[node];
  byId("selection").hidden = row < 0;
  if (row >= 0) byId("sel-name").textContent = boxName(current(), part.tree, node);
  const numbers = [numbersOf(part, node), ratioText(current(), part.tree, node)];
  byId("sel-numbers").textContent = " " + numbers.filter(Boolean).join("; ");
  showSource(byId("sel-source"), current(), row);
  const item = document.createElement("div");
  item.id = "box-" + ++graph.boxId;
  item.className = "sr";
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", String(part.tree.depth[node] + 1));
  item.setAttribute("aria-selected", "true");
  item.setAttribute("aria-label", boxName(current(), part.tree, node) + ", " + numbersOf(part, node));
  if (part.tree.end[node] > node + 1) item.setAttribute("aria-expanded", "true");
  byId("graph-tree").replaceChildren(item);
  byId("graph-tree").setAttribute("aria-activedescendant", item.id);
}

function scrollToFocus() {
  const scroll = byId("graph-scroll");
  const y = rowOf(graph.focus.part, graph.focus.node) * ROW;
  if (y < scroll.scrollTop) scroll.scrollTop = y - ROW;
  else if (y + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y + 2 * ROW - scroll.clientHeight;
}

function focusOn(part, node) {
  graph.focus = { part, node };
  scrollToFocus();
  showSelection();
  repaint();
}

// Every step that a person may want to take back: onto the stack, into the URL.
function go(change) {
  const before = Object.assign({}, state);
  Object.assign(state, change);
  if (Object.keys(change).every((key) => before[key] === state[key])) return;
  graph.history.push(before);
  writeUrl(true);
  rebuild();
  if (["colour", "palette", "theme"].some((key) => before[key] !== state[key])) showMultiples();
}

function back() {
  const before = graph.history.pop();
  if (!before) return;
  Object.assign(state, before);
  writeUrl(false);
  rebuild();
  say("back");
}

function zoomTo(part, node) {
  if (state.sandwich >= 0) {
    part.zoom = node;
    focusOn(part, node);
    refresh();
    return;
  }
  go({ zoom: node });
  say("zoomed into " + frameName(current(), part.tree.frame[node]));
}

function sandwich(row) {
  if (row < 0) return;
  go({ sandwich: row, zoom: 0, mark: -1 });
  say("callers and callees of " + frameName(current(), row));
}
