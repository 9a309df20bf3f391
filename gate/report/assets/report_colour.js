// SPDX-License-Identifier: Apache-2.0
// What colours say: the change of share, of the cost per unit of work, or of the absolute value. A change that is not
// significant is grey in each.

const COLOURS = ["share", "cost", "value"];

// How many times the baseline's total the canary's is, by what a colour is about: a unit of work, or a run.
function growthOf(c, colour) {
  return c.total[1] / c.total[0] / (colour === "cost" ? c.workRatio : c.runs[1] / c.runs[0]);
}

// The change that a colour stands for: points of share, or parts of the baseline's total.
function colouredChange(c, tree, node, colour) {
  if (colour === "share") return changeOf(c, tree, node);
  return shareCanary(c, tree, node) * growthOf(c, colour) - shareBase(c, tree, node);
}

// Its standard error: the counts are Poisson and vary from run to run as much as those of the share do, and all of them
// with the total; but for work that was estimated from the profiles themselves, where the total cancels.
function colouredError(c, tree, node, colour) {
  const [p1, p2] = [shareBase(c, tree, node), shareCanary(c, tree, node)];
  const p = (p1 + p2) / 2;
  const [n1, n2] = effectiveCounts(c);
  const sampling = p * (1 - p) * (1 / n1 + 1 / n2);
  const dispersion = sampling > 0 ? errorOf(c, tree, node) ** 2 / sampling : 1;
  const growth = growthOf(c, colour);
  const total = colour === "cost" && !c.workIsKnown ? 0 : p2 * growth * c.totalError;
  return Math.sqrt(dispersion * (p1 / n1 + (growth ** 2 * p2) / n2) + total ** 2);
}

// Two-sided p value of a standard normal deviate, by the series of the distribution and by the continued fraction of
// its tail.
function twoSided(z) {
  const size = Math.abs(z);
  const density = Math.exp((-size * size) / 2) / Math.sqrt(2 * Math.PI);
  if (size < 2) {
    let sum = size;
    for (let k = 1, term = size; k < 40; k++) sum += term *= (size * size) / (2 * k + 1);
    return Math.max(0, 1 - 2 * density * sum);
  }
  let tail = size;
  for (let k = 60; k > 0; k--) tail = size + k / tail;
  return (2 * density) / tail;
}

// Benjamini and Hochberg: the largest p value that is still significant at data.level.
function falseDiscoveryBound(values) {
  const sorted = Float64Array.from(values).sort();
  for (let i = sorted.length; i > 0; i--)
    if (sorted[i - 1] <= (data.level * i) / sorted.length) return sorted[i - 1];
  return -1;
}

// z on the scale of a normal distribution: few runs have wider intervals.
function normalZ(c, tree, node, colour) {
  if (tree.frame[node] < 0 || isTooSmall(c, { base: tree.base[node], canary: tree.canary[node] })) return 0;
  const error = colouredError(c, tree, node, colour);
  const z = error > 0 ? colouredChange(c, tree, node, colour) / error : 0;
  return (z * data.normal) / criticalOf(c, tree.frame[node]);
}

// What changed beyond noise, and the largest such change. What a budget found grown needs no second opinion.
function colourTree(c, tree, colour) {
  let significant = tree.significant;
  if (colour !== "share") {
    const z = Float64Array.from({ length: tree.count }, (_, node) => normalZ(c, tree, node, colour));
    const p = z.map(twoSided);
    const bound = falseDiscoveryBound(p.subarray(1));
    const isKnown = (node) => tree.mark[node] >= CHANGE.warned && tree.significant[node] === 1 && z[node] > 0;
    significant = Uint8Array.from(p, (value, node) => (node > 0 && (value <= bound || isKnown(node)) ? 1 : 0));
  }
  let most = 0;
  for (let i = 0; i < tree.count; i++)
    if (significant[i]) most = Math.max(most, Math.abs(colouredChange(c, tree, i, colour)));
  return { colour, significant, most };
}

// Once a tree and colour.
function colouringOf(c, tree) {
  const colour = colourOf(c);
  if (!tree.colourings.has(colour)) tree.colourings.set(colour, colourTree(c, tree, colour));
  return tree.colourings.get(colour);
}

// Where the work is not known, its cost says what the share says.
function colourOf(c) {
  return state.colour === "cost" && c.workRatio === null ? "share" : state.colour;
}

// "+6.2 pp", "+6.2%" of the baseline's total.
function colouredText(colour, change) {
  return colour === "share" ? points(change) : signed(change * 100, decimalsOf(change * 100)) + "%";
}

const COLOUR_WORDS = {
  share: "the change of share",
  cost: "the change of cost per unit of work, in parts of the baseline's total",
  value: "the change of the absolute value, in parts of the baseline's total",
};

// -5 … 5 by the root of the size of the change against `most`; what is not significant is 0 and therefore grey.
function stepOf(c, tree, node, most) {
  const { colour, significant } = colouringOf(c, tree);
  if (!significant[node] || most <= 0) return 0;
  const change = colouredChange(c, tree, node, colour);
  if (change === 0) return 0;
  const step = Math.ceil(data.steps * Math.sqrt(Math.abs(change) / most) - 1e-9);
  return Math.sign(change) * Math.min(data.steps, Math.max(1, step));
}

// The gate's word for what became of a node: enum gate_layout_change_kind of gate/report/flame_graph.h, by the same rules,
// of the change that the colours stand for.
function describeChange(c, tree, node) {
  const { colour, significant } = colouringOf(c, tree);
  const change = colouredChange(c, tree, node, colour);
  let kind = change > 0 ? CHANGE.grew : CHANGE.shrank;
  if (change === 0) kind = CHANGE.unchanged;
  else if (!significant[node]) kind = CHANGE.withinNoise;
  else if (tree.base[node] === 0) kind = CHANGE.isNew;
  else if (tree.canary[node] === 0) kind = CHANGE.vanished;
  const mark = tree.mark[node];
  if (!mark) return data.changes[kind];
  return (kind <= CHANGE.withinNoise ? "" : data.changes[kind] + ", ") + data.changes[mark];
}
