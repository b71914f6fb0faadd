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

const claims = all(".claim").map((row) => ({ row, text: `${row.textContent} ${row.dataset.experiment}`.toLowerCase() }));
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
  for (const group of all(".claims .group")) group.hidden = !group.querySelector(".claim:not([hidden])");
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
$("claim-search").addEventListener("keydown", (event) => {
  const first = claims.find(({ row }) => !row.hidden);
  if (event.key === "Enter" && first) reveal(first.row);
});

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
  fitting.observe(table.closest(".scroll"));
  if (!table.tHead || table.tBodies[0].rows.length < 2) return;
  makeSortable(table);
  makeFilterable(table);
}

// A table that does not fit becomes cards, one a row: its name, then the ratio and the verdict, then the rest.
const LEADING = /^(Vulkan\/CUDA|Vulkan is|verdict)/;

function labelCells(table) {
  if (table.dataset.labelled || !table.tHead) return;
  table.dataset.labelled = "yes";
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, column) => {
      if (column) cell.dataset.label = names[column];
      cell.classList.toggle("lead", column > 0 && LEADING.test(names[column]));
      cell.classList.toggle("none", column > 0 && ["–", ""].includes(cell.textContent));
    });
  }
}

// All boxes are measured before any is changed, so that the page is laid out once. Only another width measures anew: cards change the height.
const fitting = new ResizeObserver((entries) => {
  const boxes = entries.filter(({ target, contentRect }) => contentRect.width && target.dataset.width !== String(contentRect.width));
  for (const { target, contentRect } of boxes) {
    target.dataset.width = contentRect.width;
    target.classList.remove("cards");
  }
  const wide = boxes.filter(({ target }) => target.scrollWidth > target.clientWidth + 1).map(({ target }) => target);
  for (const box of wide) {
    labelCells(box.querySelector("table"));
    box.classList.add("cards");
  }
});

// A table of texts without the columns that are empty in all rows. `verdicts`: the column that has a verdict on a pair.
function tableOf(header, rows, verdicts = -1) {
  const kept = header.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const head = make("tr", {}, ...kept.map((column) => make("th", { textContent: header[column] })));
  const lines = rows.map((row) => make("tr", {}, ...kept.map((column) => {
    const text = row[column];
    const verdict = () => make("span", { className: `verdict ${text.split(/[ ,]/)[0]}`, textContent: text });
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
const MARKS = " |<>";
const INSTRUCTION_BYTES = 16;
const UNCHECKED = ".disabled"; // what ends the name of a kernel whose Vulkan code has no bounds checks
const WHY = "why", FEW = 3; // how many accounts are shown at once

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
    // Of each text that names what differs, its cause's place in data.causes.
    data.cause = data.texts.map((text) => causeOf(text.split(", ")));
    data.opcodes = data.texts.map((text) => partsOf(text).opcode.toLowerCase());
    fill();
  }

  function causeOf(names) {
    const found = data.causes.findIndex(([, , ofCause]) => ofCause.some((name) => names.includes(name)));
    return found < 0 ? data.causes.length - 1 : found;
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
    const own = twin && !isAlone(twin) ? [["CUDA", twin.cuda_kernel], ["Vulkan", twin.vulkan_kernel]] : [];
    $("sass-names").textContent = own.filter(([, name]) => name !== twin.kernel).map(([api, name]) => `In ${api}: ${name}.`).join(" ");
    $("sass-summary").textContent = twin ? twin.summary : "";
    $("sass-cases").replaceChildren(...(twin ? cases(twin) : []));
    $("sass-causes").replaceChildren(...(twin ? causes(twin) : []));
    const other = twin && !isAlone(twin) && unchecked(twin);
    const sides = twin && isAlone(twin) ? ["Vulkan", "what it is"] : ["CUDA", "", "Vulkan", ...(other ? ["Vulkan, checks off"] : []), "what differs"];
    $("sass-sides").replaceChildren(...(twin ? sides.map((name) => make("th", { textContent: name })) : []));
    $("sass-lines").replaceChildren(...(twin ? lines(twin, other) : []));
    $("sass-whys").replaceChildren(...(twin ? whys(twin) : []));
  }

  // What a driver lists, without a side of CUDA's.
  const isAlone = (twin) => !twin.cuda_kernel;

  // The same kernel without bounds checks beside the same code of CUDA's.
  const unchecked = (twin) => data.twins.find((each) => each.experiment === twin.experiment && each.arch === twin.arch
    && each.kernel === twin.kernel + UNCHECKED && each.cuda_kernel === twin.cuda_kernel);

  // Its pairs' times, and what was counted; what all cases have in common stands before the table.
  function cases(twin) {
    if (isAlone(twin)) return [];
    if (!twin.cases.length) return [make("p", { className: "dim", textContent: "No times of both APIs for this code." })];
    const tokens = twin.cases.map((row) => row[0].split(" "));
    const common = tokens.length > 1 ? tokens[0].filter((token) => token !== "†" && tokens.every((each) => each.includes(token))) : [];
    const header = data.header.filter((name) => name !== WHY);
    const rows = twin.cases.map((row, at) => [tokens[at].filter((token) => !common.includes(token)).join(" ") || row[0], ...row.slice(1, header.length)]);
    const said = [];
    if (common.length) said.push(make("p", { className: "same", textContent: `In every row: ${common.join(" ")}.` }));
    const other = tokens.some((each) => each.includes("†"));
    said.push(tableOf(header, rows, header.indexOf("Vulkan is")));
    const note = "† Vulkan's code was built for another workgroup size than the one that is listed.";
    if (other) said.push(make("p", { className: "dim", textContent: note }));
    return said;
  }

  // The account of each pair's gap.
  function whys(twin) {
    const column = data.header.indexOf(WHY);
    const items = twin.cases.filter((row) => row[column]).flatMap((row) => [make("dt", { textContent: row[0] }), make("dd", { textContent: row[column] })]);
    if (!items.length) return [];
    const said = [make("h4", { textContent: "Why the times differ" }), make("dl", {}, ...items.slice(0, 2 * FEW))];
    if (items.length > 2 * FEW) {
      const rest = make("dl", {}, ...items.slice(2 * FEW));
      said.push(make("details", { className: "plain" }, make("summary", { textContent: `${items.length / 2 - FEW} more` }), rest));
    }
    return said;
  }

  // What the colours say: how many lines of either side, and what they take, where a control told.
  function causes(twin) {
    const counts = data.causes.map(() => [0, 0]);
    for (const [mark, left, right, names] of rowsOf(twin)) {
      if (!mark && !names) continue;
      counts[data.cause[names]][0] += left ? 1 : 0;
      counts[data.cause[names]][1] += right ? 1 : 0;
    }
    return data.causes.flatMap(([id, ofTwins, , ofAlone], at) => {
      if (!counts[at][0] && !counts[at][1]) return [];
      const takes = twin.costs[id] ? `; adds to Vulkan's time ${twin.costs[id]}` : "";
      const said = isAlone(twin) ? `: ${counts[at][1]} lines` : `: CUDA ${counts[at][0]} lines, Vulkan ${counts[at][1]}${takes}`;
      return [make("li", {}, make("span", { className: `swatch ${id}`, textContent: isAlone(twin) ? ofAlone : ofTwins }), said)];
    });
  }

  const rowsOf = (twin) => data.listings[twin.listing].map((line) => data.rows.slice(4 * line, 4 * line + 4));

  // Rows with the unchecked code's instruction and its cause beside them. Both listings have CUDA's instructions in the same order;
  // between two of these an instruction stands beside the next one of the same opcode.
  function merged(rows, others) {
    const found = [];
    let next = 0;
    const alone = ([, , right, names]) => [0, 0, 0, 0, right, names];
    for (let at = 0; at < rows.length;) {
      let end = at, last = next;
      while (end < rows.length && !rows[end][1]) end += 1;
      while (last < others.length && !others[last][1]) last += 1;
      for (const row of rows.slice(at, end)) {
        const same = others.slice(next, last).findIndex((other) => data.opcodes[other[2]] === data.opcodes[row[2]]);
        if (same < 0) {
          found.push([...row, 0, 0]);
          continue;
        }
        found.push(...others.slice(next, next + same).map(alone), [...row, others[next + same][2], others[next + same][3]]);
        next += same + 1;
      }
      found.push(...others.slice(next, last).map(alone));
      if (end < rows.length) found.push([...rows[end], others[last]?.[2] ?? 0, others[last]?.[3] ?? 0]);
      [at, next] = [end + 1, last + 1];
    }
    return [...found, ...others.slice(next).map(alone)];
  }

  function lines(twin, other) {
    const only = $("only-different").checked, wanted = holding();
    const counts = [0, 0, 0];
    const shown = (text, side) => {
      if (!text || isAlone(twin)) return text;
      const { offset, predicate, rest } = partsOf(text);
      const place = (INSTRUCTION_BYTES * counts[side]++).toString(16).padStart(4, "0");
      return `${offset ?? place} ${predicate.padStart(5)} ${rest}`;
    };
    const instruction = (at, side, className, names, differs) => {
      const cell = make("td", { className, textContent: shown(data.texts[at], side) });
      if (at && differs) cell.classList.add(data.causes[data.cause[names]][0]);
      if (wanted.some((has) => has[at])) cell.classList.add("hit");
      return cell;
    };
    const found = [];
    for (const [mark, left, right, names, third, thirdNames] of other ? merged(rowsOf(twin), rowsOf(other)) : rowsOf(twin)) {
      const differs = mark !== 0 || names !== 0;
      const cells = [
        ...(isAlone(twin) ? [] : [instruction(left, 0, "cuda", names, differs), make("td", { className: "mark", textContent: MARKS[mark] })]),
        instruction(right, 1, "vulkan", names, differs),
        ...(other ? [instruction(third, 2, "unchecked", thirdNames, thirdNames !== 0)] : []),
        make("td", { className: "names", textContent: data.texts[names] }),
      ];
      if (!only || differs || thirdNames) found.push(make("tr", { className: differs ? "differs" : "" }, ...cells));
    }
    return found;
  }

  // The address names what is shown, and opens it again.
  function address() {
    const twin = data.twins[list.value];
    if (twin) history.replaceState(null, "", SASS + encodeURI(nameOf(twin)));
  }

  function open(name, named = false) {
    load();
    const at = data.twins.findIndex((twin) => nameOf(twin) === name);
    $("kernel-search").value = at < 0 ? name : "";
    $("opcode-search").value = "";
    fill();
    if (at >= 0) list.value = String(at);
    show();
    $("sass").scrollIntoView();
    if (named) address();
  }

  for (const box of [$("kernel-search"), $("opcode-search")]) box.addEventListener("input", () => { load(); fill(); address(); });
  list.addEventListener("change", () => { show(); address(); });
  $("only-different").addEventListener("change", () => { load(); show(); });
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    load();
  }, { rootMargin: "1000px" }).observe(document.querySelector(".viewer"));
  // Of each kernel what is searched, and what shows it.
  function places() {
    load();
    return data.twins.map((twin) => ({ text: `${twin.search} ${twin.summary.toLowerCase()}`, show: () => open(nameOf(twin), true) }));
  }

  return { load, open, places };
}

let viewer = null; // none where no kernel has both listings, and until these are unpacked
const ready = $("kernels") && unpacked($("twins").textContent).then((data) => {
  viewer = makeViewer($("kernels"), data);
  places = null; // they have its kernels now
  if (location.hash.startsWith(SASS)) land();
}, (error) => { $("sass-title").textContent = `This browser cannot unpack the listings: ${error}`; });

// ---------------------------------------------------------------------------------------------------- addresses, search

// Opens and unhides all that it lies in.
function reveal(target, block = "start") {
  if (target.closest(".claim[hidden], .group[hidden]")) showAllClaims();
  const box = target.closest("tr[hidden]") && target.closest(".data").querySelector(".filter input");
  if (box) {
    box.value = "";
    box.dispatchEvent(new Event("input"));
  }
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView({ block });
}

function land() {
  const hash = decodeURIComponent(location.hash);
  const target = hash && $(hash.slice(1));
  if (hash.startsWith(SASS)) viewer?.open(hash.slice(SASS.length));
  else if (target) {
    reveal(target);
    if (target.closest("section")?.querySelector(".viewer")) viewer?.load(); // at once: no frame need be drawn before
  }
}

// What the search looks through: whatever has a text of its own, from the top down, then the kernels.
const SOUGHT = "main :is(h2, h3, h4, summary, .claim, li, p, figcaption, pre, tbody tr)";
let places = null, hits = [], current = -1;

function makePlaces() {
  const nodes = all(SOUGHT).filter((node) => !node.closest(".viewer, .tools, .printed") && !node.parentElement.closest(".claim, li"));
  const show = (node) => () => {
    for (const before of all(".found")) before.classList.remove("found");
    node.classList.add("found");
    reveal(node, "center");
  };
  return [...nodes.map((node) => ({ text: node.textContent.toLowerCase(), show: show(node) })), ...(viewer?.places() ?? [])];
}

function find() {
  places ??= makePlaces();
  const wanted = words($("find"));
  hits = wanted.length ? places.filter(({ text }) => hasAll(text, wanted)) : [];
  current = -1;
  $("found").textContent = wanted.length ? `${hits.length} found${hits.length ? ": Enter" : ""}` : "";
}

function goTo(hit) {
  if (!hits.length) return;
  current = (hit + hits.length) % hits.length;
  hits[current].show();
  $("found").textContent = `${current + 1} of ${hits.length}`;
}

$("find").addEventListener("input", find);
$("find").addEventListener("keydown", (event) => {
  if (event.key === "Enter") goTo(current < 0 && event.shiftKey ? -1 : current + (event.shiftKey ? -1 : 1));
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches?.("input, select")) return;
  event.preventDefault();
  $("find").focus();
});

foldContents();
filterClaims();
for (const table of all(".data table")) prepare(table);
addEventListener("hashchange", land);
land();
markCurrent();
