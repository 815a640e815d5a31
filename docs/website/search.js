// SPDX-License-Identifier: GPL-2.0-or-later
// Searches the sections of all pages. INDEX, of search-index.js, has for each section its page, the page's title, its
// anchor, its heading and its text.
"use strict";

const MOST_FOUND = 20;

// The sections that contain all words, best first: words in headings count more than those in the text.
function find(index, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) {
    return [];
  }
  const found = [];
  for (const [page, title, anchor, heading, text] of index) {
    const inHeading = (title + " " + heading).toLowerCase();
    const inText = text.toLowerCase();
    if (!words.every((word) => inHeading.includes(word) || inText.includes(word))) {
      continue;
    }
    let score = 0;
    for (const word of words) {
      score += heading.toLowerCase().includes(word) ? 10 : inHeading.includes(word) ? 4 : 0;
      score += Math.min(inText.split(word).length - 1, 3);
    }
    found.push({ page, title, anchor, heading, text, score });
  }
  found.sort((a, b) => b.score - a.score);
  return found.slice(0, MOST_FOUND);
}

// The text around the first of the words.
function excerpt(text, typed) {
  const lower = text.toLowerCase();
  const places = typed.toLowerCase().split(/\s+/).map((word) => (word === "" ? -1 : lower.indexOf(word))).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - 60);
  return places.length === 0 ? text.slice(0, 160) : (from > 0 ? "…" : "") + text.slice(from, from + 160) + "…";
}

function show(input, list) {
  const found = find(INDEX, input.value);
  list.replaceChildren();
  for (const entry of found) {
    const link = document.createElement("a");
    link.href = document.body.dataset.top + entry.page + "#" + entry.anchor;
    link.textContent = entry.heading === entry.title ? entry.title : entry.title + ": " + entry.heading;
    const text = document.createElement("p");
    text.textContent = excerpt(entry.text, input.value);
    const item = document.createElement("li");
    item.append(link, text);
    list.append(item);
  }
  if (found.length === 0) {
    const item = document.createElement("li");
    item.textContent = "No section has all these words. Try fewer of them.";
    list.append(item);
  }
  list.hidden = input.value.trim() === "";
}

if (typeof document !== "undefined") {
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  input.addEventListener("input", () => show(input, list));
  list.addEventListener("click", (event) => {
    if (event.target instanceof HTMLAnchorElement) {
      list.hidden = true;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      list.hidden = true;
    }
  });
}
