// SPDX-License-Identifier: Apache-2.0
// The page's data: columns of gate/report/page_payload.c as typed arrays, and how numbers are shown.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("report-data").textContent);

// A call tree in depth-first order. Node 0 is the root; a node's subtree is [node, end[node]).
function makeTree(depth, frame, base, canary, z, significant) {
  const count = depth.length;
  const tree = {
    count,
    depth: Int32Array.from(depth),
    frame: Int32Array.from(frame),
    base: Float64Array.from(base),
    canary: Float64Array.from(canary),
    z: Float64Array.from(z),
    significant: new Uint8Array(count),
    parent: new Int32Array(count).fill(-1),
    end: new Int32Array(count),
    maxDepth: 0,
    broken: new Set(),
  };
  for (const node of significant) tree.significant[node] = 1;
  const open = [];
  for (let i = 0; i < count; i++) {
    while (open.length > tree.depth[i]) tree.end[open.pop()] = i;
    if (open.length > 0) tree.parent[i] = open[open.length - 1];
    open.push(i);
    tree.maxDepth = Math.max(tree.maxDepth, tree.depth[i]);
  }
  while (open.length > 0) tree.end[open.pop()] = count;
  return tree;
}

function treeOf(columns) {
  return makeTree(columns.depth, columns.frame, columns.base, columns.canary, columns.z, columns.significant);
}

// Share of a side's total, and the change in it, of one node.
const shareBase = (c, tree, node) => (c.total[0] > 0 ? tree.base[node] / c.total[0] : 0);
const shareCanary = (c, tree, node) => (c.total[1] > 0 ? tree.canary[node] / c.total[1] : 0);
const changeOf = (c, tree, node) => shareCanary(c, tree, node) - shareBase(c, tree, node);

// The trees of the data, by the view that shows them.
const VIEWS = { callers: 0, callees: 1, owners: 2 };

// By its number in the verdict: the row of its frame, and its node in the trees that have one.
function makeCauses(source) {
  return new Map(source.causes.map(([index, row, callers, owners, fails]) => [index, { row, nodes: { callers, owners }, fails }]));
}

// Trees are read when they are first shown; what is cheap is read at once.
function makeComparison(source) {
  const rowOf = new Map(source.findings);
  const causes = makeCauses(source);
  const trees = [null, null, null];
  const root = source.trees[0];
  return {
    name: source.name,
    type: source.type,
    unit: source.unit,
    scale: source.scale,
    effective: source.effective,
    assumedRho: source.assumedRho,
    frameCount: source.frameCount,
    frames: source.frames,
    rowOf,
    causes,
    total: [root.base[0], root.canary[0]],
    pruned: source.trees.map((tree) => tree.pruned),
    tree(view) {
      const index = VIEWS[view];
      if (trees[index]) return trees[index];
      trees[index] = treeOf(source.trees[index]);
      for (const cause of causes.values())
        if (cause.fails && cause.nodes[view] >= 0) trees[index].broken.add(cause.nodes[view]);
      return trees[index];
    },
  };
}

const comparisons = data.comparisons.map(makeComparison);

// Numbers by the rules of gate/base/figures.h; tests/browser holds both against each other.
const decimalsOf = (value) => (Math.abs(value) < 0.995 ? 2 : 1);
const isZero = (value, decimals) => Number(Math.abs(value).toFixed(decimals)) === 0;

function share(value) {
  const percent = value * 100;
  if (percent === 0) return "0 %";
  if (percent > 0 && isZero(percent, 2)) return "<0.01 %";
  return percent.toFixed(decimalsOf(percent)) + " %";
}

function signed(value, decimals) {
  if (isZero(value, decimals)) return "0";
  return (value > 0 ? "+" : "") + value.toFixed(decimals);
}

const points = (change) => signed(change * 100, decimalsOf(change * 100)) + " pp";

// Both bounds, in points, with as many decimals as their change has.
function interval(change, low, high) {
  const decimals = decimalsOf(change * 100);
  return signed(low, decimals) + " … " + signed(high, decimals);
}

// The ladders of gate/profile/unit.c, so that a value reads the same in the tooltip and in the tables.
const TIME = [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const BYTES = [[2 ** 50, "PB"], [2 ** 40, "TB"], [2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "kB"], [1, "B"]];
const UNITS = new Map([
  ["nanosecond", [TIME, 1]], ["ns", [TIME, 1]], ["microsecond", [TIME, 1e3]], ["us", [TIME, 1e3]],
  ["millisecond", [TIME, 1e6]], ["ms", [TIME, 1e6]], ["second", [TIME, 1e9]], ["s", [TIME, 1e9]],
  ["byte", [BYTES, 1]], ["b", [BYTES, 1]], ["kilobyte", [BYTES, 2 ** 10]], ["megabyte", [BYTES, 2 ** 20]],
]);

function quantity(c, scaled) {
  const value = scaled * c.scale;
  const unit = c.unit.toLowerCase();
  const [ladder, factor] = UNITS.get(unit) || UNITS.get(unit.replace(/s$/, "")) || [null, 1];
  if (!ladder) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const base = value * factor;
  const [size, name] = ladder.find(([step]) => Math.abs(base) >= step * 0.9995) || ladder[ladder.length - 1];
  return Number((base / size).toPrecision(3)) + name;
}

function frameName(c, row) {
  if (row < 0) return "all";
  return visible(c.frames.name[row]) || "(no name)";
}

// Controls and marks that reorder text have no place on a screen; the data keeps them.
function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
}

// The same idea as gate_shorten_name: packages go first, then the middle; the function's end stays.
function shorten(name, columns) {
  const letters = Array.from(name);
  if (letters.length <= columns) return name;
  let nesting = 0;
  for (let i = 0; i < name.length; i++) {
    const c = name[i];
    if ("(<[{".includes(c)) nesting++;
    else if (")>]}".includes(c)) nesting = Math.max(0, nesting - 1);
    const pair = c === ":" && name[i + 1] === ":";
    if (nesting > 0 || (c !== "/" && c !== "." && !pair)) continue;
    const rest = name.slice(i + (pair ? 2 : 1));
    if (rest && (rest.includes(".") || rest.includes("::")) && Array.from(rest).length < columns) return "…" + rest;
    if (pair) i++;
  }
  const head = Math.floor((columns - 1) / 3);
  return letters.slice(0, head).join("") + "…" + letters.slice(letters.length - (columns - 1 - head)).join("");
}

// The gate's word for what became of a node: enum gate_layout_change_kind of gate/report/layout.h, by the same rules.
const CHANGE = { unchanged: 0, withinNoise: 1, grew: 2, shrank: 3, isNew: 4, vanished: 5 };

function describeChange(c, tree, node) {
  const change = changeOf(c, tree, node);
  let kind = change > 0 ? CHANGE.grew : CHANGE.shrank;
  if (change === 0) kind = CHANGE.unchanged;
  else if (!tree.significant[node]) kind = CHANGE.withinNoise;
  else if (tree.base[node] === 0) kind = CHANGE.isNew;
  else if (tree.canary[node] === 0) kind = CHANGE.vanished;
  return data.changes[kind];
}

// 95 % interval of a node's change in points, from its z and its frame's critical value; null where it was not tested.
function nodeInterval(c, tree, node) {
  const change = changeOf(c, tree, node) * 100;
  if (tree.frame[node] < 0 || tree.z[node] === 0 || change === 0) return null;
  const all = c.frames.critical;
  const critical = all.length === 1 ? all[0] : all[tree.frame[node]];
  const reach = critical * Math.abs(change / tree.z[node]);
  return [change - reach, change + reach];
}

// "+6.2 pp (95 % CI about +4.9 … +7.6)"
function nodeChange(c, tree, node) {
  const change = changeOf(c, tree, node);
  const bounds = nodeInterval(c, tree, node);
  return points(change) + (bounds ? " (95 % CI about " + interval(change, bounds[0], bounds[1]) + ")" : "");
}
