// SPDX-License-Identifier: Apache-2.0
// The page that gates: collects profiles and rules, and has the worker run `pprofgate check` on them.
"use strict";

const OUTCOMES = { 0: "pass", 1: "fail", 2: "error", 3: "inconclusive" };
const MIME = { html: "text/html", json: "application/json", md: "text/markdown", svg: "image/svg+xml", xml: "application/xml" };
const EDIT_PAUSE_MS = 250;

const $ = (id) => document.getElementById(id);
const sides = { baseline: [], canary: [] };

// ---- the program

const workerUrl = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
const packed = Uint8Array.from(atob($("program").textContent.trim()), (letter) => letter.charCodeAt(0));
const waiting = new Map();
let worker, runs = 0;

function startWorker() {
  worker = new Worker(workerUrl);
  worker.onmessage = ({ data }) => {
    const settle = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.crash) restart(); // a program that was cut off leaves its memory behind
    settle(data);
  };
  worker.postMessage({ packed });
}

function restart() {
  worker.terminate();
  startWorker();
}

function run(args, files) {
  const id = ++runs;
  return new Promise((settle) => {
    waiting.set(id, settle);
    worker.postMessage({ id, args, files });
  });
}

// What went wrong, for a reader: the program's message, or why it was cut off.
function reasonOf(result) {
  if (!result.crash) return result.stderr.trim().replaceAll("--max-memory", "the memory limit");
  return /memory|stack|Range/i.test(result.crash)
    ? `The browser stopped the program because it needs more memory than it may have (${result.crash}). Drop fewer or smaller profiles.`
    : `The program stopped: ${result.crash}`;
}

// ---- profiles

function showFiles(side) {
  const list = document.querySelector(`[data-side=${side}] .files`);
  list.replaceChildren(...sides[side].map((file, index) => {
    const item = document.createElement("li"), remove = document.createElement("button");
    item.append(`${file.name} (${file.size.toLocaleString("en")} bytes)`);
    remove.textContent = "Remove";
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${file.name}`);
    remove.onclick = () => {
      sides[side].splice(index, 1);
      showFiles(side);
    };
    item.append(remove);
    return item;
  }));
  $("judge").disabled = !sides.baseline.length || !sides.canary.length;
}

function addFiles(side, files) {
  sides[side].push(...files);
  showFiles(side);
}

for (const zone of document.querySelectorAll(".side")) {
  const side = zone.dataset.side, input = zone.querySelector("input");
  input.onchange = () => {
    addFiles(side, input.files);
    input.value = "";
  };
  zone.ondragover = (event) => {
    event.preventDefault();
    zone.classList.add("over");
  };
  zone.ondragleave = () => zone.classList.remove("over");
  zone.ondrop = (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    addFiles(side, event.dataTransfer.files);
  };
}
// A file beside a zone must not replace the page.
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());

// The names of files are unique, and cannot leave their folder.
async function filesOf(side) {
  const files = {};
  for (const [index, file] of sides[side].entries()) {
    const name = file.name.replace(/[^\w.+@-]/g, "_").replace(/^\.+/, "_");
    files[`/${side}/${sides[side].length > 1 ? `${index + 1}-` : ""}${name}`] = new Uint8Array(await file.arrayBuffer());
  }
  return files;
}

// ---- rules

let edits = 0;

const rulesFile = () => ({ "/rules.yml": new TextEncoder().encode($("rules").value) });

function goTo(line, column) {
  const editor = $("rules"), lines = editor.value.split("\n");
  const at = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + column - 1;
  editor.focus();
  editor.setSelectionRange(at, at + Math.max(1, (lines[line - 1] ?? "").slice(column - 1).match(/^\S*/)[0].length));
}

function showRules(result) {
  const bad = result.crash || result.status === 2, place = /rules\.yml:(\d+):(\d+):/.exec(result.stderr ?? "");
  $("rules").setAttribute("aria-invalid", String(Boolean(bad)));
  $("rules-state").className = bad ? "bad" : "";
  $("rules-state").textContent = bad ? reasonOf(result).replaceAll("pprofgate: ", "").replaceAll("/rules.yml", "rules.yml")
    : "The rules are valid.";
  $("rules-goto").hidden = !bad || !place;
  if (place) {
    $("rules-goto").textContent = `Go to line ${place[1]}, column ${place[2]}`;
    $("rules-goto").onclick = () => goTo(Number(place[1]), Number(place[2]));
  }
}

async function checkRules() {
  const edit = ++edits;
  await new Promise((settle) => setTimeout(settle, EDIT_PAUSE_MS));
  if (edit !== edits) return;
  const result = await run(["validate", "/rules.yml"], rulesFile());
  if (edit === edits) showRules(result);
}

const presets = JSON.parse($("presets").textContent);
for (const name of Object.keys(presets)) $("preset").append(new Option(name, name, name === "recommended"));
$("preset").value = "recommended";
$("preset").onchange = () => {
  $("rules").value = presets[$("preset").value];
  checkRules();
};
$("rules").oninput = checkRules;

// ---- the verdict

function download(path, bytes) {
  const name = path.slice(path.lastIndexOf("/") + 1), link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: MIME[name.split(".").pop()] ?? "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function showResult(result) {
  const outcome = result.crash ? "error" : (OUTCOMES[result.status] ?? "error"), files = result.files ?? {};
  $("result").hidden = false;
  $("verdict").className = outcome;
  $("verdict").textContent = outcome.toUpperCase();
  $("text").textContent = [result.stdout ?? "", outcome === "error" || result.stderr ? reasonOf(result) : ""].join("\n").trim();
  $("downloads").replaceChildren(...Object.entries(files).map(([path, bytes]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Download ${path.slice(path.lastIndexOf("/") + 1)}`;
    button.onclick = () => download(path, bytes);
    return button;
  }));
  const page = files["/out/report.html"];
  $("report").hidden = !page;
  $("report").srcdoc = page ? new TextDecoder().decode(page) : "";
}

$("judge").onclick = async () => {
  $("judge").disabled = true;
  $("state").className = "";
  $("state").textContent = "Judging …";
  const since = performance.now();
  let result;
  try {
    const baseline = await filesOf("baseline"), canary = await filesOf("canary");
    result = await run(["check", "-r", "/rules.yml", "--max-memory", $("memory").value, "--report", "/out",
      "--baseline", ...Object.keys(baseline), "--canary", ...Object.keys(canary)],
    { ...rulesFile(), ...baseline, ...canary });
  } catch (error) {
    result = { crash: String(error) };
  }
  $("state").textContent = `Took ${((performance.now() - since) / 1000).toFixed(1)} s.`;
  showResult(result);
  $("judge").disabled = false;
  document.documentElement.dataset.judged = String(Number(document.documentElement.dataset.judged ?? 0) + 1);
};

startWorker();
$("rules").value = presets.recommended;
checkRules();
