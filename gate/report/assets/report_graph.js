// SPDX-License-Identifier: Apache-2.0
// The live flame graph: what is shown, what is focused, and what keys, pointer and controls do to it.

const state = {
  comparison: 0, view: "callers", orient: "icicle", width: "both", palette: "red",
  zoom: 0, sandwich: -1, mark: -1, query: "", sort: "", filter: "", only: false,
};
const graph = { parts: [], focus: null, view: null, painted: 0, history: [], boxId: 0, frame: 0 }; // frame: the animation frame that is asked for

const current = () => comparisons[state.comparison];
const say = (text) => { byId("announce").textContent = text; };

function buildParts() {
  const c = current();
  if (state.sandwich >= 0) {
    const tree = c.tree("callers");
    const scale = maxChangeOf(c, tree);
    const callers = makePart(c, mergeCallers(c, tree, state.sandwich), state.width, -1, scale);
    const callees = makePart(c, mergeCallees(c, tree, state.sandwich), state.width, 1, scale);
    graph.parts = [callers, callees];
  } else {
    graph.parts = [makePart(c, c.tree(state.view), state.width, state.orient === "flame" ? -1 : 1)];
    graph.parts[0].zoom = Math.min(state.zoom, graph.parts[0].tree.count - 1);
  }
  graph.focus = { part: graph.parts[graph.parts.length - 1], node: graph.parts[graph.parts.length - 1].zoom };
}

// Rows that the shown subtrees need; parts that grow upwards start at their lowest row.
function placeParts() {
  if (state.sandwich >= 0) {
    const up = graph.parts[0].tree.maxDepth;
    graph.parts[0].origin = up;
    graph.parts[1].origin = up;
    return up + graph.parts[1].tree.maxDepth + 1;
  }
  const part = graph.parts[0];
  const levels = levelsBelow(part.tree, part.zoom);
  part.origin = part.dir > 0 ? 0 : levels - 1;
  return levels;
}

function matchesOf(c) {
  if (state.mark >= 0) {
    const rows = new Uint8Array(c.frames.name.length);
    rows[state.mark] = 1;
    return rows;
  }
  if (state.query === "") return null;
  const pattern = toPattern(state.query);
  return pattern ? Uint8Array.from(c.frames.name, (name) => (pattern.test(name) ? 1 : 0)) : null;
}

// Capitals in the pattern mean capitals in the name.
function toPattern(text) {
  try {
    return new RegExp(text, text === text.toLowerCase() ? "iu" : "u");
  } catch (error) {
    return null;
  }
}

// Boxes and shares that match; a match beneath a match counts once.
function matchedShare(c, tree, matches) {
  const found = { boxes: 0, base: 0, canary: 0 };
  let until = 0;
  for (let i = 1; i < tree.count; i++) {
    if (!matches[tree.frame[i]]) continue;
    found.boxes++;
    if (i < until) continue;
    until = tree.end[i];
    found.base += shareBase(c, tree, i);
    found.canary += shareCanary(c, tree, i);
  }
  return found;
}

function showMatches(c, matches) {
  const wrong = state.mark < 0 && state.query !== "" && !matches;
  byId("c-search").setAttribute("aria-invalid", String(wrong));
  let text = wrong ? "not a regular expression" : "";
  if (matches) {
    const found = matchedShare(c, state.sandwich >= 0 ? c.tree("callers") : graph.parts[0].tree, matches);
    const functions = matches.reduce((sum, one) => sum + one, 0);
    text = found.boxes + (found.boxes === 1 ? " box of " : " boxes of ") + functions + (functions === 1 ? " function: " : " functions: ") +
      share(found.base) + " of the baseline, " + share(found.canary) + " of the canary";
  }
  byId("search-result").textContent = text;
}

// Measure the window, then paint on the next frame: many changes in one go cost one painting.
function refresh() {
  const scroll = byId("graph-scroll");
  const rows = placeParts();
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

function showControls() {
  byId("c-view").value = state.view;
  byId("c-orient").value = state.orient;
  byId("c-width").value = state.width;
  byId("c-palette").value = state.palette;
  if (byId("c-search") !== document.activeElement) byId("c-search").value = state.query;
  document.documentElement.dataset.palette = state.palette;
  byId("c-back").disabled = graph.history.length === 0;
  byId("c-orient").disabled = byId("c-view").disabled = state.sandwich >= 0;
}

function showLegend() {
  const c = current();
  const most = graph.parts[0].maxChange;
  byId("legend-low").textContent = most > 0 ? points(-most) : "";
  byId("legend-high").textContent = most > 0 ? points(most) : "";
  byId("legend-broken").hidden = graph.parts.every((part) => part.tree.broken.size === 0);
  byId("legend-width").textContent = "width: " + {
    both: "the larger of both shares", base: "share of the baseline", canary: "share of the canary",
    change: "all change of self shares beneath",
  }[state.width];
  const pruned = c.pruned[VIEWS[state.sandwich < 0 ? state.view : "callers"]];
  byId("left-out").textContent = data.minShare > 0
    ? "Functions below " + Number((data.minShare * 100).toFixed(6)) + " % on both sides are left out: " +
      share(pruned[0] / c.total[0]) + " of the baseline and " + share(pruned[1] / c.total[1]) + " of the canary show in their " +
      (state.view === "callees" ? "callees instead." : "callers instead.")
    : "";
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
  if (row >= 0) byId("sel-name").textContent = frameName(current(), row);
  byId("sel-numbers").textContent = " " + numbersOf(part, node);
  const item = document.createElement("div");
  item.id = "box-" + ++graph.boxId;
  item.className = "sr";
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", String(part.tree.depth[node] + 1));
  item.setAttribute("aria-selected", "true");
  item.setAttribute("aria-label", frameName(current(), row) + ", " + numbersOf(part, node));
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

function showBox(part, node, row) {
  byId("graph").scrollIntoView();
  byId("graph-tree").focus({ preventScroll: true });
  if (node >= 0) focusOn(part, node);
  else say(frameName(current(), row) + " is below the minimum share of the graph");
}

// The box of a cause on its path: by caller, unless libraries are folded in.
function jumpToCause(cause) {
  const view = state.view === "owners" ? "owners" : "callers";
  go({ sandwich: -1, zoom: 0, mark: cause.row, query: "", view });
  showBox(graph.parts[0], cause.nodes[view], cause.row);
}

// The box of a frame that changed most, in the tree that is shown; all its boxes are marked.
function jumpToFrame(row) {
  if (state.sandwich >= 0 || state.zoom !== 0 || state.mark !== row)
    go({ sandwich: -1, zoom: 0, mark: row, query: "" });
  const c = current();
  const part = graph.parts[0];
  let best = -1;
  for (let i = 1; i < part.tree.count; i++)
    if (part.tree.frame[i] === row && (best < 0 || Math.abs(changeOf(c, part.tree, i)) > Math.abs(changeOf(c, part.tree, best))))
      best = i;
  showBox(part, best, row);
}
