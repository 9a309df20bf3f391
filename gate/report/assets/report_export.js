// SPDX-License-Identifier: Apache-2.0
// What is shown, as a file: a picture of all rows, not of the window alone.

const EXPORT_HEAD = 44;
const EXPORT_HEIGHT_MAX = 16000; // of a canvas

function exportTitle() {
  return document.querySelector("h1").textContent + " — " + current().name;
}

function exportNote() {
  return byId("legend-colour").textContent + "; " + byId("legend-width").textContent;
}

function svgElement(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.append(text);
  return element;
}

function svgBox(view, part, node, from, to) {
  const { tree } = part;
  const y = EXPORT_HEAD + rowOf(part, node) * ROW;
  const isOneSided = tree.depth[node] > 0 && (tree.base[node] === 0) !== (tree.canary[node] === 0);
  const isBroken = tree.mark[node] === CHANGE.broken;
  const dashed = isOneSided ? { stroke: view.colours.ink, "stroke-dasharray": "3 2" } : {};
  const edge = isBroken ? { stroke: view.colours.broken, "stroke-width": 2.5 } : dashed;
  const group = svgElement("g", {});
  group.append(svgElement("title", {}, boxName(view.comparison, tree, node) + "\n" + numbersOf(part, node)));
  group.append(svgElement("rect", {
    x: from.toFixed(1), y, width: Math.max(to - from - 0.6, 0.3).toFixed(1), height: ROW - 1,
    fill: view.colours.fill[part.steps[node] + data.steps],
    ...edge,
  }));
  const label = labelOf(view, part, node, to - from);
  if (label) group.append(svgElement("text", { x: (from + 3).toFixed(1), y: y + 14, fill: view.colours.ink }, label));
  return group;
}

// The shown subtrees; a subtree too thin to be seen is stepped over whole, as on the screen.
function exportSvg() {
  const { view } = graph;
  const height = EXPORT_HEAD + graph.rows * ROW;
  const svg = svgElement("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${view.width} ${height}`,
    width: view.width, height, "font-family": "monospace", "font-size": 12 });
  svg.append(svgElement("title", {}, exportTitle()));
  svg.append(svgElement("rect", { width: view.width, height, fill: view.colours.paper }));
  svg.append(svgElement("text", { x: 4, y: 18, fill: view.colours.ink, "font-weight": "bold" }, exportTitle()));
  svg.append(svgElement("text", { x: 4, y: 36, fill: view.colours.ink }, exportNote()));
  for (const part of graph.parts) {
    for (let i = 0; i < part.tree.count; ) {
      const [from, to] = clippedSpan(part, i, view.width);
      if (to - from >= 0.3) svg.append(svgBox(view, part, i, from, to));
      i = to - from < 0.3 ? part.tree.end[i] : i + 1;
    }
  }
  return new XMLSerializer().serializeToString(svg);
}

function exportCanvas() {
  const picture = document.createElement("canvas");
  const height = Math.min(graph.rows * ROW, EXPORT_HEIGHT_MAX);
  paint(picture, { ...graph.view, height, scroll: 0 }, graph.parts, null);
  const whole = document.createElement("canvas");
  const ratio = picture.width / graph.view.width;
  whole.width = picture.width;
  whole.height = picture.height + EXPORT_HEAD * ratio;
  const ctx = whole.getContext("2d");
  ctx.fillStyle = graph.view.colours.paper;
  ctx.fillRect(0, 0, whole.width, whole.height);
  ctx.drawImage(picture, 0, EXPORT_HEAD * ratio);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = FONT;
  ctx.fillStyle = graph.view.colours.ink;
  ctx.fillText(exportTitle(), 4, 18);
  ctx.fillText(exportNote(), 4, 36);
  return whole;
}

function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  say(name + " saved");
}

function startExport() {
  byId("c-svg").addEventListener("click", () =>
    saveFile(new Blob([exportSvg()], { type: "image/svg+xml" }), "flamegraph.svg"));
  byId("c-png").addEventListener("click", () =>
    exportCanvas().toBlob((blob) => saveFile(blob, "flamegraph.png"), "image/png"));
}
