// SPDX-License-Identifier: Apache-2.0
// The URL's fragment, the pointer, and the ways into the graph; then the page comes alive.

const URL_KEYS = { comparison: "c", view: "v", own: "own", orient: "o", width: "w", beside: "beside", colour: "colour",
  palette: "p", theme: "theme", zoom: "z", sandwich: "s", mark: "m", query: "q", hide: "hide", focus: "focus", sort: "sort",
  filter: "f", only: "only" };
// Of several comparisons, such as benchmarks, that of the first finding is shown first.
const firstFinding = document.querySelector("#findings [data-comparison]");
if (firstFinding) state.comparison = Number(firstFinding.dataset.comparison);
const DEFAULTS = Object.assign({}, state);
const CHOICES = { view: ["callers", "callees"], orient: ["icicle", "flame"], width: ["both", "base", "canary", "change"],
  palette: ["red", "safe"], colour: COLOURS, theme: ["auto", "light", "dark"] };

function stateText() {
  const params = new URLSearchParams();
  for (const [name, key] of Object.entries(URL_KEYS))
    if (state[name] !== DEFAULTS[name]) params.set(key, String(state[name]));
  return params.toString();
}

// A fragment comes from anywhere: what does not fit is ignored.
function readUrl() {
  const params = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, DEFAULTS);
  for (const [name, key] of Object.entries(URL_KEYS)) {
    const text = params.get(key);
    if (text === null) continue;
    if (typeof DEFAULTS[name] === "number") state[name] = Math.trunc(Number(text)) || 0;
    else if (typeof DEFAULTS[name] === "boolean") state[name] = text === "true";
    else if (!CHOICES[name] || CHOICES[name].includes(text)) state[name] = text;
  }
  if (params.get("v") === "owners") state.own = true; // what links of before have
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  state.comparison = clamp(state.comparison, 0, comparisons.length - 1);
  const rows = current().frames.name.length;
  if (state.sandwich >= rows || state.sandwich < 0) state.sandwich = -1;
  if (state.mark >= rows || state.mark < 0) state.mark = -1;
  state.zoom = Math.max(0, state.zoom);
  if (!byId("t-table").querySelector('th[data-key="' + CSS.escape(state.sort.split(":")[0]) + '"]')) state.sort = "";
}

function writeUrl(isStep) {
  const text = "#" + stateText();
  if (text === (location.hash || "#")) return;
  try {
    history[isStep ? "pushState" : "replaceState"](null, "", text);
  } catch (error) {
    if (location.protocol !== "about:") location.replace(text); // a frame's srcdoc has the address of the page around it
  }
}

// Pointer

function pointOf(event) {
  const box = byId("graph-canvas").getBoundingClientRect();
  return boxAt(graph.view, graph.parts, event.clientX - box.left, event.clientY - box.top);
}

function clicked(event) {
  const hit = pointOf(event);
  if (!hit) return;
  byId("graph-tree").focus({ preventScroll: true });
  if (event.shiftKey) {
    sandwich(hit.part.tree.frame[hit.node]);
    return;
  }
  if (hit.part.zoom !== hit.node) zoomTo(hit.part, hit.node);
  else focusOn(hit.part, hit.node);
  if (event.pointerType === "touch") showTip(graph.focus, event.clientX);
}

function startPointer() {
  const scroll = byId("graph-scroll");
  scroll.addEventListener("click", clicked);
  // A finger has no way to point without a click, and its tooltip follows the click.
  scroll.addEventListener("pointermove", (event) => event.pointerType !== "touch" && showTip(pointOf(event), event.clientX));
  scroll.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && showTip(null));
  scroll.addEventListener("scroll", () => {
    showTip(null);
    repaint();
  });
  document.addEventListener("pointerdown", (event) => !scroll.contains(event.target) && showTip(null));
  window.addEventListener("scroll", () => showTip(null), { passive: true });
  byId("graph-tree").addEventListener("keydown", keyed);
  byId("graph-tree").addEventListener("focus", repaint);
  byId("graph-tree").addEventListener("blur", repaint);
  new ResizeObserver(refresh).observe(byId("live"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
}

// Buttons behind what the page says of a cause or a finding. `actions`: what is on each, and what it does.
function addButtons(place, comparison, actions) {
  const buttons = document.createElement("p");
  buttons.className = "buttons";
  for (const [text, action] of actions) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => {
      chooseComparison(comparison);
      action();
    });
    buttons.append(button);
  }
  place.append(buttons);
}

// A name that is itself the way to its box, in a row of a table.
function linkName(place, comparison, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.setAttribute("aria-label", "Show in graph: " + place.textContent);
  button.append(...place.childNodes);
  button.addEventListener("click", () => {
    chooseComparison(comparison);
    action();
  });
  place.append(button);
}

// Causes and findings lead to the graph and the table.
function startFindings() {
  for (const place of document.querySelectorAll("#findings details[data-cause]")) {
    const comparison = Number(place.dataset.comparison);
    const cause = comparisons[comparison].causes.get(Number(place.dataset.cause));
    if (!cause) continue; // a group, or the total
    addButtons(place.querySelector(".what"), comparison, [["Show in graph", () => jumpToCause(cause)],
      ["Show in table", () => jumpToRow(cause.row)], ["Callers and callees", () => showSandwich(cause.row)]]);
  }
  for (const finding of document.querySelectorAll("#findings [data-frame]")) {
    const comparison = Number(finding.dataset.comparison);
    const row = comparisons[comparison].rowOf.get(Number(finding.dataset.frame));
    const show = () => jumpToFrame(row, finding.dataset.measure);
    const place = finding.querySelector(".what");
    if (place)
      addButtons(place, comparison, [["Show in graph", show], ["Show in table", () => jumpToRow(row)],
        ["Callers and callees", () => showSandwich(row)]]);
    else linkName(finding.querySelector(".name"), comparison, show);
  }
}

function showSandwich(row) {
  sandwich(row);
  byId("graph").scrollIntoView();
  byId("graph-tree").focus({ preventScroll: true });
}

// Several sample types: a small graph each, which is also the switch.

function chooseComparison(index) {
  if (state.comparison === index) return;
  go({ comparison: index, zoom: 0, sandwich: -1, mark: -1 });
  rebuildTable();
  showMultiples();
}

function showMultiples() {
  if (comparisons.length < 2) return;
  const group = byId("multiples");
  group.hidden = false;
  group.replaceChildren(...comparisons.map((c, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(index === state.comparison));
    const canvas = document.createElement("canvas");
    const part = makePart(c, c.tree("callers"), "both", 1);
    const rows = Math.min(part.tree.maxDepth + 1, 14);
    paint(canvas, { comparison: c, matches: null, colours: readColours(), rowHeight: 5, width: 220, height: rows * 5,
      scroll: 0, letter: 7 }, [part], null);
    button.append(canvas, c.name);
    button.addEventListener("click", () => chooseComparison(index));
    return button;
  }));
}

// A link shows what it is of: the box, and the part of the page that it is in.
function showLinked() {
  const [part] = graph.parts;
  const found = state.sandwich < 0 && state.query !== "" ? matchingBoxes().map((match) => match.node) : [];
  const widest = (best, node) => (part.width[node] > part.width[best] ? node : best);
  const box = state.mark >= 0 ? bestBox(state.mark) : found.length > 0 ? found.reduce(widest) : -1;
  if (box >= 0) focusOn(part, box);
  const has = (...names) => names.some((name) => state[name] !== DEFAULTS[name]);
  if (has("zoom", "sandwich", "mark", "query", "hide", "focus")) byId("graph").scrollIntoView();
  else if (has("sort", "filter", "only")) byId("frames").scrollIntoView();
}

function start() {
  const started = performance.now();
  buildTableHead();
  readUrl();
  for (const id of ["live", "live-table"]) byId(id).hidden = false;
  document.documentElement.classList.add("is-live");
  startControls();
  startPointer();
  startTable();
  startExport();
  startFindings();
  rebuild();
  rebuildTable();
  showMultiples();
  showLinked();
  // On paper nothing unfolds.
  window.addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("#findings details")) fold.open = true;
  });
  window.addEventListener("popstate", () => {
    readUrl();
    graph.history = [];
    rebuild();
    rebuildTable();
    showMultiples();
  });
  document.documentElement.dataset.startMs = (performance.now() - started).toFixed(1);
}

start();
