// SPDX-License-Identifier: Apache-2.0
// Painting boxes on a canvas and finding the box under a point. The canvas is as large as its window, never as the graph.

const ROW = 20;
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';

// Colours come from the style sheet, so that palette and dark mode have one home.
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  const fill = [];
  for (let step = -data.steps; step <= data.steps; step++)
    fill.push(get(step === 0 ? "--n" : (step < 0 ? "--s" : "--g") + Math.abs(step)));
  const colours = { fill };
  for (const name of ["ink", "edge", "paper", "focus", "mark", "broken"]) colours[name] = get("--" + name);
  return colours;
}

function rowOf(part, node) {
  return part.origin + part.dir * part.tree.depth[node];
}

// Left and right pixel of a node under the part's zoom; ancestors of the zoomed node fill the part's width.
function spanOf(part, node, pixels) {
  const start = part.left * pixels;
  const left = part.x[part.zoom];
  const scale = (pixels * part.span) / Math.max(part.width[part.zoom], 1e-300);
  return [start + (part.x[node] - left) * scale, start + (part.x[node] + part.width[node] - left) * scale];
}

// The same, cut at the part's edges.
function clippedSpan(part, node, pixels) {
  const [from, to] = spanOf(part, node, pixels);
  return [Math.max(from, part.left * pixels), Math.min(to, (part.left + part.span) * pixels)];
}

function paintBox(ctx, view, part, node, from, to, y) {
  const tree = part.tree;
  const width = to - from;
  const dim = view.matches && !view.matches[tree.frame[node]];
  ctx.globalAlpha = dim ? 0.35 : 1;
  ctx.fillStyle = view.colours.fill[part.steps[node] + data.steps];
  ctx.fillRect(from, y, Math.max(width - 0.6, 0.5), view.rowHeight - 1);
  if (width > 5 && tree.depth[node] > 0 && (tree.base[node] === 0) !== (tree.canary[node] === 0)) {
    ctx.strokeStyle = view.colours.ink;
    ctx.setLineDash([3, 2]);
    ctx.strokeRect(from + 0.5, y + 0.5, width - 1.6, view.rowHeight - 2);
    ctx.setLineDash([]);
  }
  if (tree.mark[node] === CHANGE.broken) {
    ctx.strokeStyle = view.colours.broken;
    ctx.lineWidth = 2.5;
    ctx.strokeRect(from + 1.2, y + 1.2, Math.max(width - 3, 1), view.rowHeight - 3.4);
    ctx.lineWidth = 1;
  }
  if (view.matches && !dim && width > 2) {
    ctx.strokeStyle = view.colours.mark;
    ctx.lineWidth = 2;
    ctx.strokeRect(from + 1, y + 1, width - 2.6, view.rowHeight - 3);
    ctx.lineWidth = 1;
  }
  if (view.rowHeight >= ROW && width >= view.letter * 4) paintLabel(ctx, view, part, node, from, width, y);
}

// What stands in a box `width` wide: which way it changed, and as much of the name as there is room for.
function labelOf(view, part, node, width) {
  const step = part.steps[node];
  const mark = step > 0 ? "▲ " : step < 0 ? "▼ " : "";
  const room = Math.floor((width - 6) / view.letter) - mark.length;
  if (room < 3) return "";
  const own = part.tree.isSelf[node] ? part.tree.part : frameName(view.comparison, part.tree.frame[node]);
  const name = node === 0 && part.side ? part.side + ": " + own : own;
  return mark + shorten(name, room);
}

function paintLabel(ctx, view, part, node, from, width, y) {
  const start = Math.max(from, part.left * view.width);
  const text = labelOf(view, part, node, Math.min(from + width, (part.left + part.span) * view.width) - start);
  if (!text) return;
  ctx.fillStyle = view.colours.ink;
  ctx.fillText(text, start + 3, y + 14, width - 6);
}

// Subtrees outside of the window or thinner than a third of a pixel are stepped over whole.
function paintPart(ctx, view, part) {
  const tree = part.tree;
  const filled = new Float64Array(tree.maxDepth + 1).fill(-1);
  const [low, high] = [part.left * view.width, (part.left + part.span) * view.width];
  let painted = 0;
  for (let i = 0; i < tree.count; ) {
    const [from, to] = spanOf(part, i, view.width);
    const depth = tree.depth[i];
    if (to <= low || from >= high || (to - from < 0.3 && to < filled[depth] + 0.5)) {
      i = tree.end[i];
      continue;
    }
    const y = rowOf(part, i) * view.rowHeight - view.scroll;
    if (y > -view.rowHeight && y < view.height && to - from > 0) {
      paintBox(ctx, view, part, i, Math.max(from, low - 2), Math.min(to, high + 2), y);
      painted++;
    }
    filled[depth] = to;
    const beyond = part.dir > 0 ? y >= view.height : y <= -view.rowHeight;
    i = to - from < 0.3 || beyond ? tree.end[i] : i + 1;
  }
  return painted;
}

function paintFocus(ctx, view, part, node) {
  const [from, to] = clippedSpan(part, node, view.width);
  const y = rowOf(part, node) * view.rowHeight - view.scroll;
  ctx.globalAlpha = 1;
  ctx.strokeStyle = view.colours.focus;
  ctx.lineWidth = 2;
  ctx.strokeRect(from + 1, y + 1, Math.max(to - from - 2.6, 1), view.rowHeight - 3);
  ctx.lineWidth = 1;
}

function paintClipped(ctx, view, part) {
  if (part.span === 1) return paintPart(ctx, view, part);
  ctx.save();
  ctx.beginPath();
  ctx.rect(part.left * view.width, 0, part.span * view.width, view.height);
  ctx.clip();
  const painted = paintPart(ctx, view, part);
  ctx.restore();
  return painted;
}

// Size the canvas for the screen's pixels and paint all parts. Returns how many boxes were painted.
function paint(canvas, view, parts, focus) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(view.width * ratio);
  canvas.height = Math.round(view.height * ratio);
  canvas.style.width = view.width + "px";
  canvas.style.height = view.height + "px";
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = FONT;
  view.letter = view.letter || ctx.measureText("MMMMMMMMMM").width / 10;
  ctx.fillStyle = view.colours.paper;
  ctx.fillRect(0, 0, view.width, view.height);
  let painted = 0;
  for (const part of parts) painted += paintClipped(ctx, view, part);
  // The same box of another part is the same function on the other side.
  for (const part of parts)
    if (focus && part.tree === focus.part.tree) paintFocus(ctx, view, part, focus.node);
  ctx.globalAlpha = 1;
  return painted;
}

// The box at a point of the window: { part, node } or null. Walks down from the root: O(depth * siblings).
function boxAt(view, parts, px, py) {
  const row = Math.floor((py + view.scroll) / view.rowHeight);
  for (const part of parts) {
    const depth = (row - part.origin) * part.dir;
    if (depth < 0 || depth > part.tree.maxDepth || px < part.left * view.width) continue;
    let node = 0;
    while (node >= 0 && part.tree.depth[node] < depth) node = childAt(part, node, px, view.width);
    if (node < 0) continue;
    const [from, to] = clippedSpan(part, node, view.width);
    if (px >= from && px < to) return { part, node };
  }
  return null;
}

function childAt(part, node, px, pixels) {
  for (let child = node + 1; child < part.tree.end[node]; child = part.tree.end[child]) {
    const [from, to] = spanOf(part, child, pixels);
    if (px >= from && px < to) return child;
  }
  return -1;
}
