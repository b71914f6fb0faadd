// What test_report_browser.py asks of a page: each function gives what is wrong, as texts.
"use strict";
const SCROLLERS = ".scroll, .strip, .figures, pre, select, nav, .claim:not([open]) .text, .claim:not([open]) .ours"; // what shows a part of its texts
const nameOf = (node) => `${node.closest("[id]")?.id ?? ""} <${node.tagName}> ${node.textContent.trim().slice(0, 60)}`;

// Every visible text outside of drawings: its element and the boxes of its lines, as far as its scrollers show them.
function textBoxes() {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || element.closest("svg, script, style, select, .skip, noscript") || !element.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (let { left, right, top, bottom } of range.getClientRects()) {
      for (let at = element.closest(SCROLLERS); at; at = at.parentElement.closest(SCROLLERS)) {
        const box = at.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      if (right - left > 1 && bottom - top > 1) found.push({ element, left, right, top, bottom });
    }
  }
  return found;
}

function overlap(a, b) {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.min(across, down);
}

function overlapping(boxes, most) {
  const wrong = [];
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((box, at) => {
    for (let next = at + 1; next < boxes.length && boxes[next].top < box.bottom - most; next += 1) {
      if (boxes[next].element !== box.element && overlap(box, boxes[next]) > most) wrong.push(`${nameOf(box.element)} / ${nameOf(boxes[next].element)}`);
    }
  });
  return wrong;
}

function outside() {
  return textBoxes().filter((box) => box.left < -1 || box.right > innerWidth + 1).map((box) => nameOf(box.element));
}

function covered() {
  return overlapping(textBoxes(), 3);
}

// Of drawings: texts that are cut off or on each other, or too small; marks that are not within their axes.
function drawings() {
  const wrong = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    if (!svg.checkVisibility()) continue;
    const view = svg.viewBox.baseVal, scale = svg.getBoundingClientRect().width / view.width;
    const texts = [...svg.querySelectorAll("text")].map((element) => {
      const { x, y, width, height } = element.getBBox();
      return { element, left: x, right: x + width, top: y, bottom: y + height };
    });
    for (const text of texts) {
      if (text.left < 0 || text.top < 0 || text.right > view.width || text.bottom > view.height) wrong.push(`cut off: ${nameOf(text.element)}`);
      if (parseFloat(getComputedStyle(text.element).fontSize) * scale < 10.9) wrong.push(`small: ${nameOf(text.element)}`);
    }
    wrong.push(...overlapping(texts, 1.5).map((pair) => `overlapping: ${pair}`));
    const ground = [...svg.querySelectorAll(".grid, .axis")].map((path) => path.getBBox());
    const [left, top] = [Math.min(...ground.map((box) => box.x)), Math.min(...ground.map((box) => box.y))];
    const [right, bottom] = [Math.max(...ground.map((box) => box.x + box.width)), Math.max(...ground.map((box) => box.y + box.height))];
    for (const mark of svg.querySelectorAll(".mark")) {
      if (!mark.textContent.includes(": ")) continue; // a label's
      const box = mark.getBBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
      if (x < left - 2 || x > right + 2 || y < top - 2 || y > bottom + 2) wrong.push(`beyond the axes: ${mark.textContent}`);
    }
  }
  return wrong;
}

// Figures that show none or both of their two drawings, or one that is wider than its place.
function unfit() {
  return [...document.querySelectorAll(".fit")].filter((figure) => figure.checkVisibility()).filter((figure) => {
    const shown = [...figure.children].filter((strip) => strip.checkVisibility());
    return shown.length !== 1 || shown[0].scrollWidth > shown[0].clientWidth;
  }).map(nameOf);
}

// Source: WCAG 2.2, relative luminance and contrast ratio.
function luminance([red, green, blue]) {
  const linear = [red, green, blue].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

const partsOf = (colour) => colour.match(/[\d.]+/g).map(Number);

function background(element) {
  for (let at = element; at; at = at.parentElement) {
    const parts = partsOf(getComputedStyle(at).backgroundColor);
    if (parts.length === 3 || parts[3] === 1) return parts;
  }
  return [255, 255, 255];
}

function faint() {
  const wrong = new Set();
  for (const { element } of textBoxes()) {
    const style = getComputedStyle(element);
    const [light, dark] = [luminance(partsOf(style.color)), luminance(background(element))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) wrong.add(`${ratio.toFixed(2)} ${style.color} ${element.className} ${nameOf(element)}`);
  }
  for (const element of document.querySelectorAll("figure svg text")) {
    const [light, dark] = [luminance(partsOf(getComputedStyle(element).fill)), luminance(background(element))].sort((a, b) => b - a);
    if ((light + 0.05) / (dark + 0.05) < 4.5) wrong.add(`drawing: ${nameOf(element)}`);
  }
  return [...wrong];
}

// Tables that do not fit, by their section.
function wideTables() {
  return [...document.querySelectorAll("main .data .scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.closest("[id]")?.id}: ${box.scrollWidth} in ${box.clientWidth}`);
}

// Links into the page that lead nowhere.
async function deadLinks() {
  const { twins } = await unpacked(document.getElementById("twins").textContent);
  const kernels = new Set(twins.map((twin) => `#sass:${twin.experiment}/${twin.kernel}`));
  const there = (hash) => kernels.has(hash) || document.getElementById(hash.slice(1));
  return [...document.querySelectorAll('a[href^="#"]')].filter((link) => !there(decodeURIComponent(link.hash))).map((link) => link.hash);
}
