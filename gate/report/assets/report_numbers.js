// SPDX-License-Identifier: Apache-2.0
// How numbers and names are shown.

// Numbers by the rules of gate/base/figures.h; tests/browser holds both against each other.
const decimalsOf = (value) => (Math.abs(value) < 0.995 ? 2 : 1);
const isZero = (value, decimals) => Number(Math.abs(value).toFixed(decimals)) === 0;

function share(value) {
  const percent = value * 100;
  if (percent === 0) return "0%";
  if (percent > 0 && isZero(percent, 2)) return "<0.01%";
  return percent.toFixed(decimalsOf(percent)) + "%";
}

function signed(value, decimals) {
  if (isZero(value, decimals)) return "0";
  return (value > 0 ? "+" : "") + value.toFixed(decimals);
}

const points = (change) => signed(change * 100, decimalsOf(change * 100)) + " pp";

// Both bounds, in points, with as many decimals as their change has.
function interval(change, low, high) {
  const decimals = decimalsOf(change * 100);
  return "[" + signed(low, decimals) + ", " + signed(high, decimals) + "]";
}

// The ladders of gate/model/unit.c, so that a value reads the same in the tooltip and in the tables.
const TIME = [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const BYTES = [[2 ** 50, "PB"], [2 ** 40, "TB"], [2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "kB"], [1, "B"]];
const UNITS = new Map([
  ["nanosecond", [TIME, 1]], ["ns", [TIME, 1]], ["microsecond", [TIME, 1e3]], ["us", [TIME, 1e3]],
  ["millisecond", [TIME, 1e6]], ["ms", [TIME, 1e6]], ["second", [TIME, 1e9]], ["s", [TIME, 1e9]],
  ["byte", [BYTES, 1]], ["b", [BYTES, 1]], ["kilobyte", [BYTES, 2 ** 10]], ["megabyte", [BYTES, 2 ** 20]],
]);

// "1m15s", "2h5m": whole seconds.
function clock(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = hours > 0 ? 0 : seconds % 60;
  return (hours > 0 ? hours + "h" : "") + (minutes > 0 ? minutes + "m" : "") + (rest > 0 ? rest + "s" : "");
}

function quantity(c, scaled) {
  const value = scaled * c.scale;
  const unit = c.unit.toLowerCase();
  const [ladder, factor] = UNITS.get(unit) || UNITS.get(unit.replace(/s$/, "")) || [null, 1];
  if (!ladder) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  const base = value * factor;
  if (ladder === TIME && Math.abs(base) >= 60e9 && Math.abs(base) < 360000e9)
    return (base < 0 ? "-" : "") + clock(Math.round(Math.abs(base) / 1e9));
  const [size, name] = ladder.find(([step]) => Math.abs(base) >= step * 0.9995) || ladder[ladder.length - 1];
  return Number((base / size).toPrecision(3)) + name;
}

function frameName(c, row) {
  if (row < 0) return "all";
  return visible(c.frames.name[row]) || "(no name)";
}

// Of a box: what a function costs itself is a box of the same function.
function boxName(c, tree, node) {
  return frameName(c, tree.frame[node]) + (tree.isSelf[node] ? " (" + tree.part + ")" : "");
}

// Controls and marks that reorder text have no place on a screen; the data keeps them.
function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
}

// Parts that name nothing by themselves: a closure's, a number, what stands in brackets, the ending of a file's name.
const SUFFIX = /^([<{].*|(func|gowrap|deferwrap|)[0-9*]+|c|cc|cpp|h|hpp|go|py|rb|rs|js|mjs|ts|kt|java|ex|scala|php|cs|so|swift|pl)$/;

// As gate_shorten_name has it: packages go first, and where the function's own name does not fit it loses its end.
function shorten(name, columns) {
  const lettersOf = (text) => Array.from(text);
  let left = lettersOf(name).length;
  if (left <= columns) return name;
  let nesting = 0;
  let last = 0;
  for (let i = 0; i < name.length; i++) {
    const c = name[i];
    if ("(<[{".includes(c)) nesting++;
    else if (")>]}".includes(c)) nesting = Math.max(0, nesting - 1);
    const pair = c === ":" && name[i + 1] === ":";
    if (nesting > 0 || (c !== "/" && c !== "." && !pair)) continue;
    if (pair) i++;
    const separator = /[/.: ]|$/g;
    separator.lastIndex = i + 1;
    const part = name.slice(i + 1, separator.exec(name).index);
    if (part === "" || SUFFIX.test(part)) continue;
    left -= lettersOf(name.slice(last, i + 1)).length; // not of all that is left: a name may have many parts
    last = i + 1;
    if (left < columns) return "…" + name.slice(last);
  }
  return lettersOf(name.slice(last)).slice(0, columns - 1).join("") + "…";
}

// Half a 95% interval of a box of the frame, in standard errors: one for all, or one a frame.
const criticalOf = (c, row) => c.frames.critical[c.frames.critical.length === 1 ? 0 : row];

// 95% interval of a node's change in points, from its z and its frame's critical value; null where it was not tested.
function nodeInterval(c, tree, node) {
  const change = changeOf(c, tree, node) * 100;
  if (tree.frame[node] < 0 || tree.z[node] === 0 || change === 0) return null;
  const reach = criticalOf(c, tree.frame[node]) * Math.abs(change / tree.z[node]);
  return [change - reach, change + reach];
}

// "+6.2 pp (95% CI about [+4.9, +7.6])"
function nodeChange(c, tree, node) {
  const change = changeOf(c, tree, node);
  const bounds = nodeInterval(c, tree, node);
  return points(change) + (bounds ? " (95% CI about " + interval(change, bounds[0], bounds[1]) + ")" : "");
}

// "1.58x", "12.4x": canary to baseline; "new" and "gone" have none.
function times(ratio) {
  return ratio.toFixed(ratio < 2 ? 2 : 1) + "x";
}

// "1.58x; 1.44x per unit of work (estimated)"; empty where one side has nothing.
function ratioText(c, tree, node) {
  if (tree.base[node] <= 0 || tree.canary[node] <= 0) return "";
  const ratio = tree.canary[node] / tree.base[node];
  if (c.workRatio === null) return times(ratio);
  const perUnit = times(ratio / c.workRatio) + " per unit of work" + (c.workIsKnown ? "" : " (estimated)");
  return times(ratio) + "; " + perUnit;
}
