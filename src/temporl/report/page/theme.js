"use strict";
/* Small helpers, and the two themes. */

/** Make an element: its attributes, then its children (text stays text). */
function make(tag, attributes = {}, ...children) {
  const space = SVG_TAGS.has(tag) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const SVG_TAGS = new Set(["svg", "path", "circle", "text", "g", "polyline"]);

const count = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

const theme = {
  /** Whether the page is dark now: as chosen on it, or else as the system is. */
  isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  },
  /** The colour behind a custom property, as drawing libraries read it. */
  colour(name) {
    const probe = make("span", { style: `color: var(--${name})` });
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  },
  listeners: [],
  changed() {
    document.getElementById("theme").textContent = theme.isDark() ? "☀" : "☾";
    for (const listener of theme.listeners) listener();
  },
};

document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = theme.isDark() ? "light" : "dark";
  theme.changed();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.changed);
