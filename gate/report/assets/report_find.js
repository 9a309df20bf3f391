// SPDX-License-Identifier: Apache-2.0
// Search in the graph, from match to match, and the ways from elsewhere in the page to a box.

function matchesOf(c) {
  if (state.mark >= 0) {
    const rows = new Uint8Array(c.frames.name.length);
    rows[state.mark] = 1;
    return rows;
  }
  return rowsMatching(c, state.query);
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
    if (!tree.isSelf[i]) found.boxes++;
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
    const found = matchedShare(c, state.sandwich >= 0 ? sandwichTree(c) : graph.parts[0].tree, matches);
    const functions = matches.reduce((sum, one) => sum + one, 0);
    text = found.boxes + (found.boxes === 1 ? " box of " : " boxes of ") +
      functions + (functions === 1 ? " function: " : " functions: ") +
      share(found.base) + " of the baseline, " + share(found.canary) + " of the canary";
  }
  byId("search-result").textContent = text;
  for (const id of ["c-previous", "c-next"]) byId(id).disabled = !matches;
}

// Boxes of the shown parts that match, in reading order; what functions cost themselves goes with them.
function matchingBoxes() {
  const matches = graph.view.matches;
  const boxes = [];
  for (const part of state.sandwich >= 0 ? graph.parts : graph.parts.slice(0, 1))
    for (let node = part.zoom; matches && node < part.tree.end[part.zoom]; node++)
      if (part.tree.frame[node] >= 0 && matches[part.tree.frame[node]] && !part.tree.isSelf[node])
        boxes.push({ part, node });
  return boxes;
}

// `step` 1 is the next match, -1 the one before; at the end it begins anew.
function walkMatches(step) {
  const boxes = matchingBoxes();
  if (boxes.length === 0) {
    say("no match");
    return;
  }
  const { part, node } = graph.focus;
  const place = (box) => graph.parts.indexOf(box.part) * 1e9 + box.node;
  const here = place({ part, node });
  const next = step > 0 ? boxes.findIndex((box) => place(box) > here) : boxes.findLastIndex((box) => place(box) < here);
  const to = next >= 0 ? next : step > 0 ? 0 : boxes.length - 1;
  focusOn(boxes[to].part, boxes[to].node);
  say("match " + (to + 1) + " of " + boxes.length);
}

function showBox(part, node, row) {
  byId("graph").scrollIntoView();
  byId("graph-tree").focus({ preventScroll: true });
  if (node >= 0) focusOn(part, node);
  else say(frameName(current(), row) +
    (isRefined() || state.own ? " is not in the graph as it is refined" : " is below the minimum share of the graph"));
}

// The box of a cause on its path: by caller, unless libraries are folded in.
function jumpToCause(cause) {
  go({ sandwich: -1, zoom: 0, mark: cause.row, query: "", hide: "", focus: "", view: "callers" });
  showBox(graph.parts[0], cause.nodes[viewName("callers")], cause.row);
}

// Whether box `b` says more of a frame than box `a`: one that a budget is about, then the larger change.
function tellsMore(c, tree, b, a) {
  if (a < 0 || tree.mark[a] !== tree.mark[b]) return a < 0 || tree.mark[b] > tree.mark[a];
  return Math.abs(changeOf(c, tree, b)) > Math.abs(changeOf(c, tree, a));
}

// The box of a frame that says most, in the tree that is shown; of its own cost where that is what is asked for. All its
// boxes are marked.
function bestBox(row, measure) {
  const c = current();
  const tree = graph.parts[0].tree;
  const best = [-1, -1]; // whole, self
  for (let i = 1; i < tree.count; i++)
    if (tree.frame[i] === row && tellsMore(c, tree, i, best[tree.isSelf[i]])) best[tree.isSelf[i]] = i;
  return measure === tree.part && best[1] >= 0 ? best[1] : best[0];
}

function jumpToFrame(row, measure) {
  if (state.sandwich >= 0 || state.zoom !== 0 || state.mark !== row)
    go({ sandwich: -1, zoom: 0, mark: row, query: "" });
  showBox(graph.parts[0], bestBox(row, measure), row);
}
