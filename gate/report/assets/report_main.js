// SPDX-License-Identifier: Apache-2.0
// Pointer, keys, controls and the URL's fragment; then the page comes alive.

const URL_KEYS = { comparison: "c", view: "v", orient: "o", width: "w", palette: "p", zoom: "z", sandwich: "s",
  mark: "m", query: "q", sort: "sort", filter: "f", only: "only" };
const DEFAULTS = Object.assign({}, state);
const CHOICES = { view: Object.keys(VIEWS), orient: ["icicle", "flame"], width: ["both", "base", "canary", "change"],
  palette: ["red", "safe"] };

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
    location.replace(text);
  }
}

// Pointer

function pointOf(event) {
  const box = byId("graph-canvas").getBoundingClientRect();
  return boxAt(graph.view, graph.parts, event.clientX - box.left, event.clientY - box.top);
}

function tipLine(text, className) {
  const line = document.createElement("div");
  if (className) line.className = className;
  line.textContent = text;
  byId("tip").append(line);
}

function showTip(hit, x, y) {
  const tip = byId("tip");
  tip.hidden = !hit;
  if (!hit) return;
  const c = current();
  const { part, node } = hit;
  const row = part.tree.frame[node];
  tip.replaceChildren();
  tipLine(frameName(c, row), "name");
  tipLine("baseline " + share(shareBase(c, part.tree, node)) + "  " + quantity(c, part.tree.base[node]));
  tipLine("canary " + share(shareCanary(c, part.tree, node)) + "  " + quantity(c, part.tree.canary[node]));
  tipLine(nodeChange(c, part.tree, node));
  tipLine(describeChange(c, part.tree, node) + (part.tree.z[node] ? ", z = " + part.tree.z[node].toFixed(1) : ""));
  if (row >= 0)
    for (const measure of data.measures)
      tipLine("function's " + measure + ": " + share(measureShare(c, measure, "base", row)) + " → " +
        share(measureShare(c, measure, "canary", row)) + ", " + points(measureDelta(c, measure, row)) +
        (c.frames[measure].state[row] === "0" ? "" : " (95 % CI " + measureInterval(c, measure, row) + ")"),
        "hint");
  tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (y + 18 + tip.offsetHeight > window.innerHeight ? Math.max(4, y - tip.offsetHeight - 10) : y + 18) + "px";
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
}

// Keys

function siblingOf(part, node, step) {
  const parent = part.tree.parent[node];
  if (parent < 0) return -1;
  let before = -1;
  for (let child = parent + 1; child < part.tree.end[parent]; child = part.tree.end[child]) {
    if (step < 0 && child === node) return before;
    if (step > 0 && before === node) return child;
    before = child;
  }
  return -1;
}

// Of the children, the one with most width: what the eye would follow.
function widestChild(part, node) {
  let best = -1;
  for (let child = node + 1; child < part.tree.end[node]; child = part.tree.end[child])
    if (best < 0 || part.width[child] > part.width[best]) best = child;
  return best;
}

// `direction` 1 is down the screen, -1 up.
function moveVertically(direction) {
  const { part, node } = graph.focus;
  if (node === 0 && graph.parts.length > 1) {
    const next = graph.parts.find((other) => other.dir === direction);
    const child = widestChild(next, 0);
    if (child >= 0) focusOn(next, child);
    return;
  }
  const to = part.dir === direction ? widestChild(part, node) : part.tree.parent[node];
  if (to >= 0) focusOn(part, to);
}

function moveSideways(step) {
  const to = siblingOf(graph.focus.part, graph.focus.node, step);
  if (to >= 0) focusOn(graph.focus.part, to);
}

function clearMarks() {
  byId("tip").hidden = true;
  byId("c-search").value = "";
  go({ query: "", mark: -1 });
}

const KEYS = {
  ArrowDown: () => moveVertically(1),
  ArrowUp: () => moveVertically(-1),
  ArrowLeft: () => moveSideways(-1),
  ArrowRight: () => moveSideways(1),
  Enter: () => zoomTo(graph.focus.part, graph.focus.node),
  " ": () => zoomTo(graph.focus.part, graph.focus.node),
  Backspace: back,
  Home: () => go({ zoom: 0, sandwich: -1 }),
  Escape: clearMarks,
  c: () => sandwich(graph.focus.part.tree.frame[graph.focus.node]),
  t: () => selectedRow() >= 0 && jumpToRow(selectedRow()),
};

const selectedRow = () => graph.focus.part.tree.frame[graph.focus.node];

function keyed(event) {
  const action = KEYS[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
}

// Controls

function startControls() {
  const choose = (id, name) => byId(id).addEventListener("change", (event) =>
    go(name === "view" ? { view: event.target.value, zoom: 0 } : { [name]: event.target.value }));
  choose("c-view", "view");
  choose("c-orient", "orient");
  choose("c-width", "width");
  choose("c-palette", "palette");
  byId("c-back").addEventListener("click", back);
  byId("c-reset").addEventListener("click", () => go({ zoom: 0, sandwich: -1, mark: -1, query: "", width: "both", view: "callers" }));
  byId("c-search").addEventListener("input", (event) => {
    Object.assign(state, { query: event.target.value, mark: -1 });
    writeUrl(false);
    refresh();
  });
  byId("c-search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") clearMarks();
    if (event.key === "Enter") byId("graph-tree").focus();
  });
  byId("sel-sandwich").addEventListener("click", () => sandwich(selectedRow()));
  byId("sel-table").addEventListener("click", () => jumpToRow(selectedRow()));
  byId("sel-copy").addEventListener("click", () => copyText(current().frames.name[selectedRow()], "name"));
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      byId("c-search").focus();
    }
  });
}

function startPointer() {
  const scroll = byId("graph-scroll");
  scroll.addEventListener("click", clicked);
  scroll.addEventListener("mousemove", (event) => showTip(pointOf(event), event.clientX, event.clientY));
  scroll.addEventListener("mouseleave", () => showTip(null));
  scroll.addEventListener("scroll", repaint);
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

// Causes and findings lead to the graph and the table.
function startFindings() {
  for (const place of document.querySelectorAll("#findings details.cause")) {
    const comparison = Number(place.dataset.comparison);
    const cause = comparisons[comparison].causes.get(Number(place.dataset.cause));
    if (!cause) continue; // a group, or the total
    addButtons(place.querySelector(".what"), comparison, [["Show in graph", () => jumpToCause(cause)],
      ["Show in table", () => jumpToRow(cause.row)], ["Callers and callees", () => showSandwich(cause.row)]]);
  }
  for (const row of document.querySelectorAll("#findings tr[data-frame]")) {
    const comparison = Number(row.dataset.comparison);
    const frame = comparisons[comparison].rowOf.get(Number(row.dataset.frame));
    addButtons(row.querySelector(".what"), comparison, [["Show in graph", () => jumpToFrame(frame)],
      ["Show in table", () => jumpToRow(frame)], ["Callers and callees", () => showSandwich(frame)]]);
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

function start() {
  const started = performance.now();
  buildTableHead();
  readUrl();
  for (const id of ["live", "live-table"]) byId(id).hidden = false;
  document.documentElement.classList.add("is-live");
  startControls();
  startPointer();
  startTable();
  startFindings();
  rebuild();
  rebuildTable();
  showMultiples();
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
