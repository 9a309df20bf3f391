// SPDX-License-Identifier: Apache-2.0
// The page's data: columns of gate/report/html.c as typed arrays, and how numbers are shown.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("report-data").textContent);

// A call tree in depth-first order. Node 0 is the root; a node's subtree is [node, end[node]). `self` are the boxes of
// what their parent costs itself, `marks` what budgets say of the nodes `marked`.
function makeTree({ part, depth, frame, base, canary, z, significant, self, marked, marks }) {
  const count = depth.length;
  const tree = {
    count,
    depth: Int32Array.from(depth),
    frame: Int32Array.from(frame),
    base: Float64Array.from(base),
    canary: Float64Array.from(canary),
    z: Float64Array.from(z),
    significant: new Uint8Array(count),
    part,
    isSelf: new Uint8Array(count),
    mark: new Uint8Array(count),
    colourings: new Map(),
    parent: new Int32Array(count).fill(-1),
    end: new Int32Array(count),
    maxDepth: 0,
  };
  for (const node of self) tree.isSelf[node] = 1;
  marked.forEach((node, i) => { tree.mark[node] = marks[i]; });
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

// Share of a side's total, and the change in it, of one node.
const shareBase = (c, tree, node) => (c.total[0] > 0 ? tree.base[node] / c.total[0] : 0);
const shareCanary = (c, tree, node) => (c.total[1] > 0 ? tree.canary[node] / c.total[1] : 0);
const changeOf = (c, tree, node) => shareCanary(c, tree, node) - shareBase(c, tree, node);

// The trees of the data, by the view that shows them.
const VIEWS = { callers: 0, callees: 1, owners: 2 };

// By its number in the verdict: the row of its frame, and its node in the trees that have one.
function makeCauses(source) {
  return new Map(source.causes.map(([index, row, callers, owners]) => [index, { row, nodes: { callers, owners } }]));
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
    workRatio: source.workRatio,
    runs: source.runs,
    totalError: source.totalError,
    workIsKnown: source.workIsKnown,
    frameCount: source.frameCount,
    frames: source.frames,
    rowOf,
    causes,
    total: [root.base[0], root.canary[0]],
    pruned: source.trees.map((tree) => tree.pruned),
    tree(view) {
      const index = VIEWS[view];
      if (trees[index]) return trees[index];
      trees[index] = makeTree(source.trees[index]);
      return trees[index];
    },
  };
}

const comparisons = data.comparisons.map(makeComparison);

// What became of a node: enum gate_layout_change_kind of gate/report/flame_graph.h.
const CHANGE = { unchanged: 0, withinNoise: 1, grew: 2, shrank: 3, isNew: 4, vanished: 5, undecided: 6, warned: 7,
  broken: 8 };
