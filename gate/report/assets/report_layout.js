// SPDX-License-Identifier: Apache-2.0
// Where boxes stand: the rules of gate/report/flame_graph.h, for four meanings of width.

// Weight of each node under a meaning of width.
//   both    larger of both shares, so that a vanished frame still shows
//   base, canary   the share of one side
//   change  all change of self shares in the subtree, whatever its direction: a parent holds what its children moved
function weightsOf(c, tree, mode) {
  const weight = new Float64Array(tree.count);
  if (mode === "change") {
    const own = new Float64Array(tree.count);
    for (let i = 0; i < tree.count; i++) {
      const change = changeOf(c, tree, i);
      own[i] += change;
      if (i > 0) own[tree.parent[i]] -= change;
    }
    for (let i = tree.count - 1; i >= 0; i--) {
      weight[i] += Math.abs(own[i]) < 1e-12 ? 0 : Math.abs(own[i]);
      if (i > 0) weight[tree.parent[i]] += weight[i];
    }
    return weight;
  }
  for (let i = 0; i < tree.count; i++) {
    const base = shareBase(c, tree, i);
    const canary = shareCanary(c, tree, i);
    weight[i] = mode === "base" ? base : mode === "canary" ? canary : Math.max(base, canary);
  }
  return weight;
}

// Left edge and width of each node as parts of the graph's width.
function layOut(c, tree, mode) {
  const weight = weightsOf(c, tree, mode);
  const x = new Float64Array(tree.count);
  const width = new Float64Array(tree.count);
  const sum = new Float64Array(tree.count);
  const next = new Float64Array(tree.count);
  for (let i = 1; i < tree.count; i++) sum[tree.parent[i]] += weight[i];
  width[0] = 1;
  for (let i = 1; i < tree.count; i++) {
    const parent = tree.parent[i];
    const whole = Math.max(sum[parent], weight[parent]);
    x[i] = next[i] = next[parent];
    width[i] = whole > 0 ? (width[parent] * weight[i]) / whole : 0;
    next[parent] += width[i];
  }
  return { x, width };
}

// A part is one tree on the canvas: `dir` 1 grows downwards from row `origin`, -1 upwards; it takes `span` of the
// window's width, from `left` on.
function makePart(c, tree, mode, dir, most) {
  const layout = layOut(c, tree, mode);
  const steps = new Int8Array(tree.count);
  const scale = most === undefined ? colouringOf(c, tree).most : most;
  for (let i = 0; i < tree.count; i++) steps[i] = stepOf(c, tree, i, scale);
  return { tree, x: layout.x, width: layout.width, steps, dir, origin: 0, zoom: 0, most: scale, left: 0, span: 1 };
}

// Levels beneath `node`, itself included.
function levelsBelow(tree, node) {
  let deepest = tree.depth[node];
  for (let i = node; i < tree.end[node]; i++) deepest = Math.max(deepest, tree.depth[i]);
  return deepest + 1;
}
