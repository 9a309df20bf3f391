// SPDX-License-Identifier: Apache-2.0
// The table of functions: sorted, filtered, copied; only the rows in the window are in the document.

const TABLE_ROW = 28;
const table = { rows: [], first: -1, active: 0, shown: 0 };

// How sure a change is: enum gate_frame_state of gate/report/listing.h.
const STATE = { significant: 2, broken: 4 };

// Columns of each measure: the key behind the measure's, and the heading.
const COLUMNS = [["base", "baseline"], ["canary", "canary"], ["delta", "change"], ["low", "95% interval"]];

// The columns in sight: the interval of the charged cost alone, so that the verdict fits in; a copy has all of them.
const charged = (measure) => measure === data.measures[0];
const columnsOf = (measure) => (charged(measure) ? COLUMNS : COLUMNS.slice(0, -1));
const inSight = () => data.measures.flatMap((measure) => columnsOf(measure).map(([key]) => [measure, key]));

function measureShare(c, measure, side, row) {
  const total = c.total[side === "base" ? 0 : 1];
  return total > 0 ? c.frames[measure][side][row] / total : 0;
}

function measureDelta(c, measure, row) {
  return measureShare(c, measure, "canary", row) - measureShare(c, measure, "base", row);
}

function measureInterval(c, measure, row) {
  return interval(measureDelta(c, measure, row), c.frames[measure].low[row], c.frames[measure].high[row]);
}

function stateOf(c, row) {
  return Math.max(...data.measures.map((measure) => Number(c.frames[measure].state[row])));
}

// What a column sorts by.
function sortValue(c, key, row) {
  if (key === "name") return c.frames.name[row];
  if (key === "state") return stateOf(c, row);
  const [measure, part] = key.split(".");
  if (part === "delta") return measureDelta(c, measure, row);
  if (part === "low") return c.frames[measure].low[row];
  return measureShare(c, measure, part, row);
}

// "self.delta:desc"; without one, the gate's order: size of the change of self share.
function sortRows(c, rows) {
  const [key, way] = state.sort.split(":");
  if (!key) return rows;
  const sign = way === "asc" ? 1 : -1;
  const values = new Map(rows.map((row) => [row, sortValue(c, key, row)]));
  return rows.sort((a, b) => {
    const x = values.get(a);
    const y = values.get(b);
    return x < y ? -sign : x > y ? sign : a - b;
  });
}

function chooseRows() {
  const c = current();
  const pattern = state.filter === "" ? null : toPattern(state.filter);
  byId("t-filter").setAttribute("aria-invalid", String(state.filter !== "" && !pattern));
  const rows = [];
  for (let row = 0; row < c.frames.name.length; row++) {
    if (pattern && !pattern.test(c.frames.name[row])) continue;
    if (state.only && stateOf(c, row) < STATE.significant) continue;
    rows.push(row);
  }
  table.rows = sortRows(c, rows);
  table.active = Math.min(table.active, Math.max(0, table.rows.length - 1));
}

function cellText(c, row, measure, key) {
  if (key === "low") return c.frames[measure].state[row] !== "0" ? measureInterval(c, measure, row) : "";
  return key === "delta" ? points(measureDelta(c, measure, row)) : share(measureShare(c, measure, key, row));
}

function tableCell(text, kind) {
  const td = document.createElement("td");
  td.className = kind;
  td.textContent = text;
  return td;
}

function changeClass(c, measure, row) {
  if (![STATE.significant, STATE.broken].includes(Number(c.frames[measure].state[row]))) return "number";
  return "number " + (measureDelta(c, measure, row) > 0 ? "grew" : "shrank");
}

function fileOf(c, row) {
  const file = visible(c.frames.files[c.frames.file[row]]);
  return file && c.frames.line[row] > 0 ? file + ":" + c.frames.line[row] : file;
}

function tableRow(c, index) {
  const row = table.rows[index];
  const tr = document.createElement("tr");
  tr.setAttribute("aria-rowindex", String(index + 3));
  const head = document.createElement("th");
  head.scope = "row";
  head.className = "name";
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.row = String(row);
  button.dataset.index = String(index);
  button.tabIndex = index === table.active ? 0 : -1;
  button.textContent = frameName(c, row);
  button.title = frameName(c, row) + (fileOf(c, row) ? "\n" + fileOf(c, row) : "");
  head.append(button);
  tr.append(head);
  for (const [measure, key] of inSight())
    tr.append(tableCell(cellText(c, row, measure, key), key === "delta" ? changeClass(c, measure, row) : "number"));
  tr.append(tableCell(data.states[stateOf(c, row)], ""));
  return tr;
}

function spacer(height) {
  const tr = document.createElement("tr");
  tr.setAttribute("aria-hidden", "true");
  tr.className = "spacer";
  const td = document.createElement("td");
  td.colSpan = 2 + inSight().length;
  td.style.height = height + "px";
  tr.append(td);
  return tr;
}

function drawTable(force) {
  const scroll = byId("t-scroll");
  const visibleRows = Math.ceil(scroll.clientHeight / TABLE_ROW) + 10;
  const first = Math.max(0, Math.floor(scroll.scrollTop / TABLE_ROW) - 5);
  if (!force && first === table.first && visibleRows === table.shown) return;
  const focused = document.activeElement && document.activeElement.dataset.index;
  table.first = first;
  table.shown = visibleRows;
  const last = Math.min(table.rows.length, first + visibleRows);
  const rows = [];
  if (first > 0) rows.push(spacer(first * TABLE_ROW));
  for (let i = first; i < last; i++) rows.push(tableRow(current(), i));
  if (last < table.rows.length) rows.push(spacer((table.rows.length - last) * TABLE_ROW));
  byId("t-body").replaceChildren(...rows);
  if (focused !== undefined) focusRow(Number(focused));
}

function focusRow(index) {
  const button = byId("t-body").querySelector('button[data-index="' + index + '"]');
  if (button) button.focus({ preventScroll: true });
}

function rebuildTable() {
  chooseRows();
  const c = current();
  byId("t-table").setAttribute("aria-rowcount", String(table.rows.length + 2));
  byId("t-count").textContent = table.rows.length + " of " + c.frameCount + " functions" +
    (c.frames.name.length < c.frameCount ? "; not in this page: the smallest " + (c.frameCount - c.frames.name.length) : "");
  const [key, way] = state.sort.split(":");
  for (const th of byId("t-table").querySelectorAll("th[data-key]"))
    th.setAttribute("aria-sort", th.dataset.key !== key ? "none" : way === "asc" ? "ascending" : "descending");
  if (byId("t-filter") !== document.activeElement) byId("t-filter").value = state.filter;
  byId("t-only").checked = state.only;
  drawTable(true);
}

function walkTable(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
  const step = steps[event.key];
  if (step === undefined || event.target.dataset.index === undefined) return;
  event.preventDefault();
  showRow(Math.max(0, Math.min(table.rows.length - 1, table.active + step)), true);
}

function showRow(index, focus) {
  const scroll = byId("t-scroll");
  const y = index * TABLE_ROW;
  const head = byId("t-table").tHead.offsetHeight;
  if (y < scroll.scrollTop) scroll.scrollTop = y;
  else if (y + TABLE_ROW + head > scroll.scrollTop + scroll.clientHeight)
    scroll.scrollTop = y + TABLE_ROW + head - scroll.clientHeight;
  table.active = index;
  drawTable(true);
  if (focus) focusRow(index);
}

function jumpToRow(row) {
  if (!table.rows.includes(row)) {
    Object.assign(state, { filter: "", only: false });
    writeUrl(false);
    rebuildTable();
  }
  byId("frames").scrollIntoView();
  showRow(table.rows.indexOf(row), true);
}

function sortBy(key) {
  const [old, way] = state.sort.split(":");
  const natural = key === "name" ? "asc" : "desc";
  state.sort = key + ":" + (old !== key ? natural : way === "asc" ? "desc" : "asc");
  writeUrl(false);
  rebuildTable();
  say("sorted by " + key.replace(".", " "));
}

function tableAsText() {
  const c = current();
  const titles = data.measures.flatMap((measure) => COLUMNS.map(([, title]) => measure + " " + title));
  const head = ["function", ...titles, "verdict"];
  const cells = (row) => data.measures.flatMap((measure) => COLUMNS.map(([key]) => cellText(c, row, measure, key)));
  const lines = table.rows.map((row) => [frameName(c, row), ...cells(row), data.states[stateOf(c, row)]].join("\t"));
  return [head.join("\t"), ...lines].join("\n") + "\n";
}

async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  document.documentElement.dataset.copied = String(text.length);
  say(what + " copied");
}

function headCell(text, attributes) {
  const th = document.createElement("th");
  for (const [name, value] of Object.entries(attributes)) th.setAttribute(name, value);
  th.append(text);
  return th;
}

function sortButton(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  return button;
}

// A group of columns a measure, between the function and the verdict.
function buildTableHead() {
  for (const measure of data.measures) {
    byId("t-verdict").before(headCell(measure, { scope: "colgroup", colspan: columnsOf(measure).length }));
    for (const [key, title] of columnsOf(measure))
      byId("t-columns").append(headCell(sortButton(title), { scope: "col", "data-key": measure + "." + key }));
  }
}

function startTable() {
  byId("t-scroll").addEventListener("scroll", () => drawTable(false));
  byId("t-scroll").addEventListener("keydown", walkTable);
  byId("t-filter").addEventListener("input", (event) => {
    state.filter = event.target.value;
    table.active = 0;
    byId("t-scroll").scrollTop = 0;
    writeUrl(false);
    rebuildTable();
  });
  byId("t-only").addEventListener("change", (event) => {
    state.only = event.target.checked;
    writeUrl(false);
    rebuildTable();
  });
  byId("t-copy").addEventListener("click", () => copyText(tableAsText(), table.rows.length + " rows"));
  for (const th of byId("t-table").querySelectorAll("th[data-key]"))
    th.firstElementChild.addEventListener("click", () => sortBy(th.dataset.key));
  byId("t-body").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    table.active = Number(button.dataset.index);
    jumpToFrame(Number(button.dataset.row));
  });
}
