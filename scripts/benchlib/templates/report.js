"use strict";
const $ = (id) => document.getElementById(id);

// Verdicts: one button shows one verdict's claims, a second press all again.
for (const button of document.querySelectorAll("button[data-verdict]")) {
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    for (const other of document.querySelectorAll("button[data-verdict]")) other.setAttribute("aria-pressed", String(on && other === button));
    let shown = 0;
    for (const claim of document.querySelectorAll(".claim")) {
      claim.hidden = on && claim.dataset.verdict !== button.dataset.verdict;
      if (!claim.hidden) shown += 1;
    }
    $("claims-shown").textContent = `${shown} claims shown`;
  });
}

// Machine code: text only ever becomes text.
const { lines, twins } = JSON.parse($("twins").textContent);
const nameOf = (twin) => `${twin.experiment}/${twin.kernel}`;
const list = $("kernels");
const classes = { "|": "d", "<": "l", ">": "r" };

function fill() {
  const wanted = $("filter").value.toLowerCase().split(/\s+/);
  const before = list.value;
  list.replaceChildren();
  let group = null;
  twins.forEach((twin, index) => {
    const text = nameOf(twin).toLowerCase();
    if (!wanted.every((word) => text.includes(word))) return;
    if (!group || group.label !== twin.experiment) {
      group = document.createElement("optgroup");
      group.label = twin.experiment;
      list.append(group);
    }
    group.append(new Option(twin.kernel, String(index)));
  });
  $("kernels-shown").textContent = `${list.length} of ${twins.length} kernels`;
  if ([...list.options].some((option) => option.value === before)) list.value = before;
  else list.selectedIndex = list.length ? 0 : -1;
  show();
}

function show() {
  const twin = twins[list.value];
  const body = $("sass-lines");
  body.replaceChildren();
  $("sass-title").textContent = twin ? `${nameOf(twin)}, ${twin.arch}` : "No kernel of that name";
  $("sass-summary").textContent = twin ? twin.summary : "";
  const only = $("only-different").checked;
  const instructions = [0, 0];
  const withOffset = (text, side) => {
    if (!text) return text;
    const offset = (16 * instructions[side]++).toString(16).padStart(4, "0");
    return text.startsWith(" ") ? offset + text : text;
  };
  for (const index of twin ? twin.lines : []) {
    const [mark, bareLeft, bareRight, names] = lines[index];
    const left = withOffset(bareLeft, 0), right = withOffset(bareRight, 1);
    if (only && mark === " " && !names) continue;
    const row = body.insertRow();
    row.className = classes[mark] || "";
    for (const cell of [left, mark, right, names]) row.insertCell().textContent = cell;
  }
}

function follow() {
  const match = /^#sass:(.+)$/.exec(decodeURIComponent(location.hash));
  const index = match ? twins.findIndex((twin) => nameOf(twin) === match[1]) : -1;
  if (index < 0) return;
  $("filter").value = "";
  fill();
  list.value = String(index);
  show();
  $("sass").scrollIntoView();
}

$("filter").addEventListener("input", fill);
list.addEventListener("change", show);
$("only-different").addEventListener("change", show);
addEventListener("hashchange", follow);
fill();
follow();
