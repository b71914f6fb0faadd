"use strict";
const $ = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
// What a search box asks for: all of its words, in any order.
const words = (box) => box.value.toLowerCase().split(/\s+/).filter(Boolean);
const hasAll = (text, wanted) => wanted.every((word) => text.includes(word));

// ---------------------------------------------------------------------------------------------------------- contents

const links = all("nav a");
const targets = links.map((link) => $(link.hash.slice(1)));
const wide = matchMedia("(min-width: 1100px)");

function foldContents() {
  $("contents").open = wide.matches;
}

function markCurrent() {
  let current = 0;
  targets.forEach((target, at) => { if (target && target.getBoundingClientRect().top < 130) current = at; });
  if (links[current].ariaCurrent) return;
  links.forEach((link, at) => { link.ariaCurrent = at === current ? "true" : null; });
  for (const item of all("nav li")) item.classList.toggle("current", item.contains(links[current]));
  if (wide.matches) links[current].scrollIntoView({ block: "nearest" });
}

let waiting = false;
addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; markCurrent(); });
}, { passive: true });
wide.addEventListener("change", foldContents);
$("contents").addEventListener("click", (event) => { if (event.target.closest("a") && !wide.matches) $("contents").open = false; });

// ------------------------------------------------------------------------------------------------------------ claims

const claims = all(".claims tr[id]").map((row) => ({ row, text: `${row.textContent} ${row.dataset.experiment}`.toLowerCase() }));
const buttons = all("button[data-verdict]");

function filterClaims() {
  const verdict = buttons.find((button) => button.ariaPressed === "true")?.dataset.verdict;
  const experiment = $("claim-experiment").value, wanted = words($("claim-search"));
  let shown = 0;
  for (const { row, text } of claims) {
    row.hidden = Boolean(verdict && row.dataset.verdict !== verdict) || Boolean(experiment && row.dataset.experiment !== experiment)
      || !hasAll(text, wanted);
    if (!row.hidden) shown += 1;
  }
  for (const body of all(".claims tbody")) body.hidden = !body.querySelector("tr[id]:not([hidden])");
  $("claims-shown").textContent = `${shown} of ${claims.length} claims`;
}

function showAllClaims() {
  for (const button of buttons) button.ariaPressed = "false";
  $("claim-experiment").value = $("claim-search").value = "";
  filterClaims();
}

for (const button of buttons) {
  button.addEventListener("click", () => {
    const on = button.ariaPressed !== "true";
    for (const other of buttons) other.ariaPressed = String(on && other === button);
    filterClaims();
  });
}
$("claim-tools").addEventListener("input", filterClaims);

// ------------------------------------------------------------------------------------------------------------ tables

const UNITS = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
const LONG = 12; // rows: from here a table has a box to filter it

// A cell's number, or NaN: the first, if the cell begins with one.
function numberOf(text) {
  const match = /^[<>~(\[]*([-+\u2212]?[\d.]+)\s?(Ki|Mi|Gi)?/.exec(text);
  return match ? Number(match[1].replace("\u2212", "-")) * (UNITS[match[2]] ?? 1) : NaN;
}

// Numbers first, then words, then dashes.
function compare(a, b) {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (!isNaN(x) && !isNaN(y)) return x - y;
  const rank = (text, number) => (isNaN(number) ? (text === "–" || !text ? 2 : 1) : 0);
  return rank(a, x) - rank(b, y) || a.localeCompare(b, "en", { numeric: true });
}

function makeSortable(table) {
  const body = table.tBodies[0], original = [...body.rows];
  all("thead th", table).forEach((head, column) => {
    if (!head.textContent) return;
    // A long name of a column may break behind its underscores.
    const parts = head.textContent.split(/(?<=_)/).flatMap((part, at) => (at ? [make("wbr"), part] : [part]));
    const button = make("button", { type: "button" }, ...parts);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const next = { ascending: "descending", descending: null }[head.ariaSort];
      const order = next === undefined ? "ascending" : next;
      for (const other of all("th", table)) other.ariaSort = null;
      head.ariaSort = order;
      const text = (row) => row.cells[column].textContent.trim();
      const sign = order === "descending" ? -1 : 1;
      body.append(...(order ? [...original].sort((a, b) => sign * compare(text(a), text(b))) : original));
    });
  });
}

function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length <= LONG) return;
  const box = make("input", { type: "search", autocomplete: "off", spellcheck: false });
  const count = make("output", { textContent: `${rows.length} rows` });
  box.addEventListener("input", () => {
    const wanted = words(box);
    for (const row of rows) row.hidden = !hasAll(row.textContent.toLowerCase(), wanted);
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  });
  table.closest(".scroll").before(make("div", { className: "filter" }, make("label", {}, "Filter ", box), count));
}

function prepare(table) {
  if (!table.tHead || table.tBodies[0].rows.length < 2) return;
  makeSortable(table);
  makeFilterable(table);
}

// A table of texts without the columns that are empty in all rows. `verdicts`: the column that has a verdict on a pair.
function tableOf(header, rows, verdicts = -1) {
  const kept = header.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const head = make("tr", {}, ...kept.map((column) => make("th", { textContent: header[column] })));
  const lines = rows.map((row) => make("tr", {}, ...kept.map((column) => {
    const text = row[column];
    const verdict = () => make("span", { className: `verdict ${text.split(" ")[0]}`, textContent: text });
    return make("td", { className: header[column] === "case" ? "c" : "" }, column === verdicts ? verdict() : text);
  })));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines));
  const scroller = make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "table" }, table);
  const data = make("div", { className: "data" }, scroller);
  prepare(table);
  return data;
}

// ------------------------------------------------------------------------------------------------------------ figures

// Each mark says its values in its title; as a table they can be read without a mouse.
for (const figure of all("figure")) {
  const details = make("details", { className: "plain" }, make("summary", { textContent: "Values" }));
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    const rows = all("svg", figure).flatMap((svg) => all("g .mark > title", svg).map((title) => {
      const [, what, value] = /^(.*): (.*)$/.exec(title.textContent) ?? ["", title.textContent, ""];
      return [svg.querySelector("title").textContent, what, value];
    }));
    details.append(tableOf(["figure", "what", "value"], rows.filter((row) => row[2])));
  });
  figure.append(details);
}

// ------------------------------------------------------------------------------------------------------- machine code

const SASS = "#sass:";
const CLASSES = ["", "d", "l", "r"], MARKS = " |<>";
const INSTRUCTION_BYTES = 16;

// report_page.packed_json's.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

function makeViewer(list, data) {
  const nameOf = (twin) => `${twin.experiment}/${twin.kernel}`;

  function load() {
    if (data.opcodes) return;
    for (const twin of data.twins) {
      const names = [nameOf(twin), twin.cuda_kernel, twin.vulkan_kernel, ...twin.cases.map((row) => row[0])];
      twin.search = names.join(" ").toLowerCase().replaceAll("\u00a0", " ");
    }
    data.opcodes = data.texts.map((text) => partsOf(text).opcode.toLowerCase());
    fill();
  }

  // "0040 @!P0 LDG.E R0, [R2]": the offset only where it is not what the place in the listing says.
  function partsOf(text) {
    const [, offset, predicate, rest] = /^(?:([0-9a-f]{4,}) )?(?:(@\S+) )?(.*)$/s.exec(text);
    return { offset, predicate: predicate ?? "", rest, opcode: rest.split(" ")[0] };
  }

  // For each wanted opcode the texts that have it.
  const holding = () => words($("opcode-search")).map((word) => data.opcodes.map((opcode) => opcode.includes(word)));

  function hasOpcodes(listing, wanted) {
    return wanted.every((has) => data.listings[listing].some((line) => has[data.rows[4 * line + 1]] || has[data.rows[4 * line + 2]]));
  }

  function fill() {
    const wanted = words($("kernel-search")), opcodes = holding();
    const matching = opcodes.length ? data.listings.map((_, at) => hasOpcodes(at, opcodes)) : null;
    const before = list.value;
    list.replaceChildren();
    let group = null;
    data.twins.forEach((twin, at) => {
      if (!hasAll(twin.search, wanted) || (matching && !matching[twin.listing])) return;
      if (group?.label !== twin.experiment) {
        group = make("optgroup", { label: twin.experiment });
        list.append(group);
      }
      group.append(new Option(twin.kernel, String(at)));
    });
    $("kernels-shown").textContent = `${list.length} of ${data.twins.length} kernels`;
    if (all("option", list).some((option) => option.value === before)) list.value = before;
    else list.selectedIndex = list.length ? 0 : -1;
    show();
  }

  function show() {
    const twin = data.twins[list.value];
    $("sass-title").textContent = twin ? `${nameOf(twin)}, ${twin.arch}` : "No kernel of that name";
    const own = twin ? [["CUDA", twin.cuda_kernel], ["Vulkan", twin.vulkan_kernel]] : [];
    $("sass-names").textContent = own.filter(([, name]) => name !== twin.kernel).map(([api, name]) => `In ${api}: ${name}.`).join(" ");
    $("sass-summary").textContent = twin ? twin.summary : "";
    $("sass-cases").replaceChildren(...(twin ? cases(twin) : []));
    $("sass-lines").replaceChildren(...(twin ? lines(twin) : []));
  }

  // Its pairs' times, what was counted, and the account of why; what all cases have in common stands before the table.
  function cases(twin) {
    if (!twin.cases.length) return [make("p", { className: "dim", textContent: "No times of both APIs for this code." })];
    const tokens = twin.cases.map((row) => row[0].split(" "));
    const common = tokens.length > 1 ? tokens[0].filter((token) => token !== "†" && tokens.every((each) => each.includes(token))) : [];
    const rows = twin.cases.map((row, at) => [tokens[at].filter((token) => !common.includes(token)).join(" ") || row[0], ...row.slice(1)]);
    const said = [];
    if (common.length) said.push(make("p", { className: "same", textContent: `In every row: ${common.join(" ")}.` }));
    const other = tokens.some((each) => each.includes("†"));
    said.push(tableOf(data.header, rows, data.header.indexOf("Vulkan is")));
    const note = "† Vulkan's code was built for another workgroup size than the one that is listed.";
    if (other) said.push(make("p", { className: "dim", textContent: note }));
    return said;
  }

  function lines(twin) {
    const only = $("only-different").checked, wanted = holding();
    const counts = [0, 0];
    const shown = (text, side) => {
      if (!text) return "";
      const { offset, predicate, rest } = partsOf(text);
      const place = (INSTRUCTION_BYTES * counts[side]++).toString(16).padStart(4, "0");
      return `${offset ?? place} ${predicate.padStart(5)} ${rest}`;
    };
    const found = [];
    for (const line of data.listings[twin.listing]) {
      const [mark, left, right, names] = data.rows.slice(4 * line, 4 * line + 4);
      const texts = [shown(data.texts[left], 0), MARKS[mark], shown(data.texts[right], 1), data.texts[names]];
      if (only && mark === 0 && !names) continue;
      const cells = texts.map((text) => make("td", { textContent: text }));
      if (wanted.some((has) => has[left])) cells[0].classList.add("hit");
      if (wanted.some((has) => has[right])) cells[2].classList.add("hit");
      found.push(make("tr", { className: CLASSES[mark] }, ...cells));
    }
    return found;
  }

  // The address names what is shown, and opens it again.
  function address() {
    const twin = data.twins[list.value];
    if (twin) history.replaceState(null, "", SASS + encodeURI(nameOf(twin)));
  }

  function open(name) {
    load();
    const at = data.twins.findIndex((twin) => nameOf(twin) === name);
    $("kernel-search").value = at < 0 ? name : "";
    $("opcode-search").value = "";
    fill();
    if (at >= 0) list.value = String(at);
    show();
    $("sass").scrollIntoView();
  }

  for (const box of [$("kernel-search"), $("opcode-search")]) box.addEventListener("input", () => { load(); fill(); address(); });
  list.addEventListener("change", () => { show(); address(); });
  $("only-different").addEventListener("change", () => { load(); show(); });
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    load();
  }, { rootMargin: "1000px" }).observe(document.querySelector(".viewer"));
  return { load, open };
}

let viewer = null; // none where no kernel has both listings, and until these are unpacked
const ready = $("kernels") && unpacked($("twins").textContent).then((data) => {
  viewer = makeViewer($("kernels"), data);
  if (location.hash.startsWith(SASS)) land();
}, (error) => { $("sass-title").textContent = `This browser cannot unpack the listings: ${error}`; });

// ------------------------------------------------------------------------------------------------- addresses, printing

function land() {
  const hash = decodeURIComponent(location.hash);
  if (hash.startsWith(SASS)) {
    viewer?.open(hash.slice(SASS.length));
    return;
  }
  const target = hash && $(hash.slice(1));
  if (!target) return;
  if (target.closest("[hidden]")) showAllClaims();
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}

let opened = [];
addEventListener("beforeprint", () => {
  viewer?.load();
  opened = all("main details:not([open])");
  for (const fold of opened) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
});

foldContents();
filterClaims();
for (const table of all(".data table")) prepare(table);
addEventListener("hashchange", land);
land();
markCurrent();
