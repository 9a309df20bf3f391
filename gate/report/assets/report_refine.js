// SPDX-License-Identifier: Apache-2.0
// The tree that is shown: one of the gate's, with functions hidden, or only what goes through some functions.

// The names that a pattern matches, by row; null where there is no pattern.
function rowsMatching(c, text) {
  const pattern = text === "" ? null : toPattern(text);
  return pattern ? Uint8Array.from(c.frames.name, (name) => (pattern.test(name) ? 1 : 0)) : null;
}

// What a node costs itself, with what is too small to be drawn beneath it.
function ownOf(tree, node) {
  let [base, canary] = [tree.base[node], tree.canary[node]];
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child])
    if (!tree.isSelf[child]) {
      base -= tree.base[child];
      canary -= tree.canary[child];
    }
  return { base, canary };
}

// Cost that no node stands for alone: its error is that of counts of its size.
function addOwn(group, c, own) {
  const tree = { base: [own.base], canary: [own.canary], z: [0] };
  group.base += own.base;
  group.canary += own.canary;
  group.error += errorOf(c, tree, 0);
}

// Hidden functions are taken out of their stacks: what they call hangs on their caller, which has their own cost too.
function hideFrames(c, tree, rows) {
  const root = newGroup(-1, 0);
  const groups = new Array(tree.count);
  groups[0] = addTo(root, c, tree, 0);
  for (let i = 1; i < tree.count; i++) {
    const above = groups[tree.parent[i]];
    const isHidden = rows[tree.frame[i]] === 1;
    groups[i] = isHidden ? above : childGroup(above, tree.frame[i], tree.isSelf[i]);
    if (!isHidden) {
      addTo(groups[i], c, tree, i);
      addMark(groups[i], tree, i);
    } else if (!tree.isSelf[i] && above !== root) {
      const own = ownOf(tree, i);
      if (own.base > 0 || own.canary > 0) addOwn(childGroup(above, above.frame, 1), c, own);
    }
  }
  return flatten(c, root, tree);
}

// Only the stacks that go through a function, and of their callers only what those stacks cost.
function focusFrames(c, tree, rows) {
  const root = newGroup(-1, 0);
  const groups = new Array(tree.count);
  groups[0] = root;
  const groupOf = (node) => {
    if (!groups[node]) groups[node] = childGroup(groupOf(tree.parent[node]), tree.frame[node], tree.isSelf[node]);
    return groups[node];
  };
  for (let i = 1; i < tree.count; i++) {
    if (!rows[tree.frame[i]] || tree.isSelf[i]) continue;
    for (let above = tree.parent[i]; above >= 0; above = tree.parent[above]) addTo(groupOf(above), c, tree, i);
    for (let node = i; node < tree.end[i]; node++) {
      addTo(groupOf(node), c, tree, node);
      addMark(groupOf(node), tree, node);
    }
    i = tree.end[i] - 1;
  }
  return flatten(c, root, tree);
}

// By callee: what each node costs itself, from the leaf to the root.
function invertTree(c, tree) {
  const root = newGroup(-1, 0);
  addTo(root, c, tree, 0);
  for (let i = 1; i < tree.count; i++) {
    const own = tree.isSelf[i] ? { base: 0, canary: 0 } : ownOf(tree, i);
    if (own.base <= 0 && own.canary <= 0) continue;
    let group = root;
    for (let at = i; at > 0; at = tree.parent[at]) addOwn((group = childGroup(group, tree.frame[at], 0)), c, own);
  }
  return flatten(c, root, tree);
}

// The gate's tree that a view is of.
const viewName = (view) => (state.own ? "owners" : view);

function plainTree(c, view) {
  if (!(state.own && view === "callees")) return c.tree(viewName(view));
  if (!c.invertedOwners) c.invertedOwners = invertTree(c, c.tree("owners"));
  return c.invertedOwners;
}

// Kept until another one is asked for.
function shownTree(c, view) {
  const key = [viewName(view), view, state.hide, state.focus].join("\n");
  if (c.shown && c.shown.key === key) return c.shown.tree;
  const [hidden, focused] = [rowsMatching(c, state.hide), rowsMatching(c, state.focus)];
  let tree = plainTree(c, view);
  if (hidden) tree = hideFrames(c, tree, hidden);
  if (focused) tree = focusFrames(c, tree, focused);
  c.shown = { key, tree };
  return tree;
}

const isRefined = () => state.hide !== "" || state.focus !== "";
