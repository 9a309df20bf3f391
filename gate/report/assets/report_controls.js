// SPDX-License-Identifier: Apache-2.0
// Keys and controls of the graph, and what they show of the state.

function showControls() {
  byId("c-view").value = state.view;
  for (const name of ["colour", "theme"]) byId("c-" + name).value = state[name];
  for (const name of ["hide", "focus"])
    if (byId("c-" + name) !== document.activeElement) byId("c-" + name).value = state[name];
  byId("c-own").checked = state.own;
  byId("c-beside").checked = state.beside;
  byId("c-orient").value = state.orient;
  byId("c-width").value = state.width;
  byId("c-palette").value = state.palette;
  if (byId("c-search") !== document.activeElement) byId("c-search").value = state.query;
  document.documentElement.dataset.palette = state.palette;
  applyTheme();
  if (["hide", "focus", "beside"].some((name) => state[name] !== DEFAULTS[name])) showMore(true);
  byId("c-back").disabled = graph.history.length === 0;
  byId("c-orient").disabled = byId("c-view").disabled = byId("c-beside").disabled = state.sandwich >= 0;
  byId("c-width").disabled = state.beside && state.sandwich < 0;
  byId("c-colour").querySelector("[value=cost]").disabled = current().workRatio === null;
  for (const name of ["hide", "focus"])
    byId("c-" + name).setAttribute("aria-invalid", String(state[name] !== "" && !toPattern(state[name])));
}

// Which trees have what the picture is of.
const prunedView = () => VIEWS[viewName(state.sandwich < 0 ? state.view : "callers")];

function showLegend() {
  const c = current();
  const { most } = graph.parts[0];
  const colour = colourOf(c);
  byId("legend-low").textContent = most > 0 ? colouredText(colour, -most) : "";
  byId("legend-high").textContent = most > 0 ? colouredText(colour, most) : "";
  byId("legend-broken").hidden = graph.parts.every((part) => !part.tree.mark.includes(CHANGE.broken));
  byId("legend-colour").textContent = "colour: " + COLOUR_WORDS[colour];
  const width = {
    both: "the larger of both shares", base: "share of the baseline", canary: "share of the canary",
    change: "all change of self shares beneath",
  }[state.width];
  byId("legend-width").textContent = state.beside && state.sandwich < 0
    ? "left or above: the baseline; right or below: the canary" : "width: " + width;
  const pruned = c.pruned[prunedView()];
  byId("left-out").textContent = data.minShare > 0
    ? "Functions below " + Number((data.minShare * 100).toFixed(6)) + "% on both sides are left out: " +
      share(pruned[0] / c.total[0]) + " of the baseline and " + share(pruned[1] / c.total[1]) +
      " of the canary show in their " + (prunedView() === VIEWS.callees ? "callees" : "callers") + " instead."
    : "";
}

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
  if (node === 0 && state.sandwich >= 0) {
    const next = graph.parts.find((other) => other.dir === direction);
    const child = widestChild(next, 0);
    if (child >= 0) focusOn(next, child);
    return;
  }
  const to = part.dir === direction ? widestChild(part, node) : part.tree.parent[node];
  if (to >= 0) focusOn(part, to);
}

function moveSideways(step) {
  const { part, node } = graph.focus;
  const to = siblingOf(part, node, step);
  const other = graph.parts[graph.parts.indexOf(part) + step];
  if (to >= 0) focusOn(part, to);
  else if (other && other.tree === part.tree) focusOn(other, node);
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
  n: () => walkMatches(1),
  N: () => walkMatches(-1),
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

// Choices that make another tree, in which nodes have other numbers.
const RESHAPING = ["view", "own"];

function showMore(isShown) {
  byId("more").hidden = !isShown;
  byId("c-more").setAttribute("aria-expanded", String(isShown));
}

// What is asked for in place of the system's: the rules for dark apply always, or never.
function applyTheme() {
  if ((document.documentElement.dataset.theme || "auto") === state.theme) return;
  document.documentElement.dataset.theme = state.theme;
  const media = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" }[state.theme];
  for (const rule of document.styleSheets[0].cssRules)
    if (rule instanceof CSSMediaRule && /--paper|--grew-ink/.test(rule.cssText)) rule.media.mediaText = media;
  document.documentElement.style.colorScheme = state.theme === "auto" ? "" : state.theme;
}

// Hide and Focus apply while one types. What is typed in one visit of the field is one step to take back.
function refineWhileTyping(name) {
  const field = byId("c-" + name);
  let isFirst = true;
  field.addEventListener("focus", () => { isFirst = true; });
  field.addEventListener("input", () => {
    const change = { zoom: 0, [name]: field.value };
    if (isFirst) go(change);
    else {
      Object.assign(state, change);
      writeUrl(false);
      rebuild();
    }
    isFirst = false;
  });
}

function startControls() {
  const choose = (id, name) => byId(id).addEventListener("change", (event) =>
    go(Object.assign(RESHAPING.includes(name) ? { zoom: 0 } : {},
      { [name]: event.target.type === "checkbox" ? event.target.checked : event.target.value })));
  for (const name of ["hide", "focus"]) refineWhileTyping(name);
  for (const name of ["view", "own", "beside", "orient", "width", "colour", "palette", "theme"]) choose("c-" + name, name);
  byId("c-more").addEventListener("click", () => showMore(byId("more").hidden));
  byId("c-next").addEventListener("click", () => walkMatches(1));
  byId("c-previous").addEventListener("click", () => walkMatches(-1));
  byId("c-back").addEventListener("click", back);
  byId("c-reset").addEventListener("click", () => go({ zoom: 0, sandwich: -1, mark: -1, query: "", width: "both",
    view: "callers", own: false, hide: "", focus: "", beside: false, colour: "share" }));
  byId("c-search").addEventListener("input", (event) => {
    Object.assign(state, { query: event.target.value, mark: -1 });
    writeUrl(false);
    refresh();
  });
  byId("c-search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") clearMarks();
    if (event.key === "Enter") {
      byId("graph-tree").focus();
      walkMatches(event.shiftKey ? -1 : 1);
    }
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

