// SPDX-License-Identifier: Apache-2.0
// Sandwich of one frame: everything that calls it and everything that it calls, merged over all its boxes.

// Boxes of the frame that are not beneath another box of it: a recursive stack counts once.
function topmost(tree, frame) {
  const nodes = [];
  for (let i = 1; i < tree.count; i++) {
    if (tree.frame[i] !== frame || tree.isSelf[i]) continue;
    nodes.push(i);
    i = tree.end[i] - 1;
  }
  return nodes;
}

const effectiveCounts = (c) => c.effective.map((count) => Math.max(1, count / (1 + c.assumedRho * count)));

// Standard error of a node's change of share: from its z where it was tested, else from the shares and effective
// counts, in which one run is never worth more than 1 / rho samples (what the gate assumes of a single pair).
function errorOf(c, tree, node) {
  const change = changeOf(c, tree, node);
  if (tree.z[node] !== 0 && change !== 0) return Math.abs(change / tree.z[node]);
  const p = (shareBase(c, tree, node) + shareCanary(c, tree, node)) / 2;
  const n = effectiveCounts(c);
  return Math.sqrt(p * (1 - p) * (1 / n[0] + 1 / n[1]));
}

// The smallest |z| that the gate called significant in this tree by itself: a merged box needs as much.
function significantFrom(tree) {
  let least = Infinity;
  for (let i = 0; i < tree.count; i++)
    if (tree.significant[i] && tree.mark[i] < CHANGE.warned) least = Math.min(least, Math.abs(tree.z[i]));
  return least;
}

// Too few effective counts for the gate to test anything.
function isTooSmall(c, group) {
  return (group.base / c.total[0]) * c.effective[0] + (group.canary / c.total[1]) * c.effective[1] < data.minCounts;
}

function newGroup(frame, isSelf) {
  return { frame, isSelf, base: 0, canary: 0, error: 0, mark: 0, isKnown: false, children: new Map() };
}

// What budgets say of a node is true of what it is merged into.
function addMark(group, tree, node) {
  group.mark = Math.max(group.mark, tree.mark[node]);
  group.isKnown = group.isKnown || (tree.mark[node] >= CHANGE.warned && tree.significant[node] === 1);
}

// Sums of errors bound the error of a sum whatever the correlation: a merged box is never coloured too early.
function addTo(group, c, tree, node) {
  group.base += tree.base[node];
  group.canary += tree.canary[node];
  group.error += errorOf(c, tree, node);
  return group;
}

function childGroup(group, frame, isSelf) {
  const key = isSelf ? -2 : frame;
  let child = group.children.get(key);
  if (!child) group.children.set(key, (child = newGroup(frame, isSelf)));
  return child;
}

function mergeCallees(c, tree, frame) {
  const root = newGroup(frame, 0);
  for (const top of topmost(tree, frame)) {
    const path = [];
    for (let i = top; i < tree.end[top]; i++) {
      const level = tree.depth[i] - tree.depth[top];
      const group = level === 0 ? root : childGroup(path[level - 1], tree.frame[i], tree.isSelf[i]);
      path[level] = addTo(group, c, tree, i);
      addMark(group, tree, i);
    }
  }
  return flatten(c, root, tree);
}

function mergeCallers(c, tree, frame) {
  const root = newGroup(frame, 0);
  for (const top of topmost(tree, frame)) {
    let group = addTo(root, c, tree, top);
    addMark(root, tree, top);
    for (let i = tree.parent[top]; i > 0; i = tree.parent[i])
      group = addTo(childGroup(group, tree.frame[i], 0), c, tree, top);
  }
  return flatten(c, root, tree);
}

// Groups of nodes of `tree` as a tree in depth-first order, children by name like the gate's own, what a function costs
// itself behind them.
function flatten(c, root, tree) {
  const threshold = significantFrom(tree);
  const columns = { part: tree.part, depth: [], frame: [], base: [], canary: [], z: [] };
  Object.assign(columns, { significant: [], self: [], marked: [], marks: [] });
  const open = [[root, 0]];
  while (open.length > 0) {
    const [group, depth] = open.pop();
    const change = group.canary / c.total[1] - group.base / c.total[0];
    const z = group.error > 0 ? change / group.error : 0;
    if ((Math.abs(z) >= threshold && !isTooSmall(c, group)) || (group.isKnown && z > 0))
      columns.significant.push(columns.depth.length);
    if (group.isSelf) columns.self.push(columns.depth.length);
    if (group.mark) {
      columns.marked.push(columns.depth.length);
      columns.marks.push(group.mark);
    }
    columns.depth.push(depth);
    columns.frame.push(group.frame);
    columns.base.push(group.base);
    columns.canary.push(group.canary);
    columns.z.push(z);
    const children = Array.from(group.children.values());
    const name = (child) => c.frames.name[child.frame];
    children.sort((a, b) => b.isSelf - a.isSelf || (name(a) < name(b) ? 1 : name(a) > name(b) ? -1 : 0));
    for (const child of children) open.push([child, depth + 1]);
  }
  return makeTree(columns);
}
