"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const main = find("main"), search = find("search"), found = find("found");
  for (const element of document.querySelectorAll(".script")) element.hidden = false;

  // Folds: what a link leads to is opened first.
  const reveal = (element) => {
    for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  const follow = () => {
    const target = find(decodeURIComponent(location.hash.slice(1)));
    if (target) { reveal(target); target.scrollIntoView(); }
  };
  const fold = (open) => { for (const one of main.querySelectorAll("details.run")) one.open = open; };
  addEventListener("hashchange", follow);
  if (location.hash) follow();
  find("open").addEventListener("click", () => fold(true));
  find("close").addEventListener("click", () => fold(false));

  // Changes: the next one below the one that was gone to, or below the top of the window.
  const changes = [...main.querySelectorAll("article")];
  const step = (by) => {
    const here = changes.indexOf(document.activeElement?.closest?.("article"));
    const below = changes.findIndex((change) => change.getBoundingClientRect().top > 20);
    const from = here >= 0 ? here + by : by > 0 ? below : (below < 0 ? changes.length : below) - 1;
    const change = changes[from];
    if (!change) return;
    reveal(change);
    history.replaceState(null, "", `#${change.id}`);
    change.focus({ preventScroll: true });
    change.scrollIntoView();
  };

  // Search: over the text of each block, so that marked words do not divide it.
  const BLOCKS = "pre, td, th, li, p, h2, h3, h4, summary";
  const MOST = 2000;
  let hits = [], at = -1;
  const texts = () => {
    const blocks = new Map();
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const block = node.parentElement.closest(BLOCKS) ?? main;
      if (!blocks.has(block)) blocks.set(block, []);
      blocks.get(block).push(node);
    }
    return blocks.values();
  };
  const place = (nodes, offset) => {
    for (const node of nodes) {
      if (offset <= node.length) return [node, offset];
      offset -= node.length;
    }
    return [nodes.at(-1), nodes.at(-1).length];
  };
  // Where recorded and re-issued words stand in one text, it is searched as each side has it.
  const versions = (nodes) => {
    const without = (name) => nodes.filter((node) => !node.parentElement.closest(name));
    const sides = [without("ins"), without("del")];
    return sides.some((side) => side.length === nodes.length) ? [nodes] : sides;
  };
  const rangesOf = (nodes, pattern) => {
    const ranges = new Map();
    for (const side of versions(nodes)) {
      for (const match of side.map((node) => node.data).join("").matchAll(pattern)) {
        const range = new Range();
        range.setStart(...place(side, match.index));
        range.setEnd(...place(side, match.index + match[0].length));
        ranges.set(`${nodes.indexOf(range.startContainer)} ${range.startOffset}`, range);
      }
    }
    return [...ranges.values()].sort((one, other) => one.compareBoundaryPoints(Range.START_TO_START, other));
  };
  const say = () => {
    const many = hits.length > MOST ? `more than ${MOST}` : `${hits.length}`;
    found.textContent = !search.value ? "" : !hits.length ? "nothing found" : at < 0 ? many : `${at + 1} of ${many}`;
  };
  const paint = () => {
    if (!("highlights" in CSS)) return;
    CSS.highlights.set("found", new Highlight(...hits));
    CSS.highlights.set("here", at < 0 ? new Highlight() : new Highlight(hits[at]));
  };
  let waiting = 0;
  const look = () => {
    clearTimeout(waiting);
    waiting = 0;
    hits = [];
    at = -1;
    const term = search.value.trim();
    if (term) {
      const pattern = new RegExp(term.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
      for (const nodes of texts()) {
        hits.push(...rangesOf(nodes, pattern));
        if (hits.length > MOST) break;
      }
    }
    say();
    paint();
  };
  const go = (by) => {
    if (!hits.length) return;
    at = (at + by + hits.length + (at < 0 && by < 0 ? 1 : 0)) % hits.length;
    const element = hits[at].startContainer.parentElement;
    reveal(element);
    element.scrollIntoView({ block: "center" });
    say();
    paint();
  };
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 150);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      if (waiting) look();
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      search.value = "";
      look();
      search.blur();
    }
  });

  // Keys: only where nobody is writing.
  const keys = { j: () => step(1), k: () => step(-1), o: () => fold(true), c: () => fold(false), "/": () => search.focus() };
  addEventListener("keydown", (event) => {
    const writes = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (writes || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  // Colours: remembered where the browser lets a page remember.
  const themes = document.querySelectorAll("input[name=theme]");
  try {
    const chosen = find(`theme-${localStorage.getItem("amberfork-theme")}`);
    if (chosen) chosen.checked = true;
  } catch { /* a page from a file may not remember */ }
  for (const theme of themes) {
    theme.addEventListener("change", () => {
      try { localStorage.setItem("amberfork-theme", theme.value); } catch { /* nor write */ }
    });
  }
})();
