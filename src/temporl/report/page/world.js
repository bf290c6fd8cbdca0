"use strict";
/* A gridworld: its cells, what the agent thinks in each, and where it goes. */

const ARROWS = { up: "↑", right: "→", down: "↓", left: "←" };
const CELLS = { S: "start", G: "goal", X: "pit", "#": "wall", ".": "floor" };

class WorldMap {
  constructor(place, groups) {
    this.place = place;
    this.groups = groups.filter((group) => group.world);
    this.group = this.groups.find((group) => group.world.skips.length > 1) ?? this.groups[0];
    this.cell = null;
    this.action = null;
    this.build();
  }

  build() {
    const select = make("select", {}, ...this.groups.map((group) => make("option", {}, group.label)));
    select.selectedIndex = this.groups.indexOf(this.group);
    select.addEventListener("change", () => { this.group = this.groups[select.selectedIndex]; this.begin(); });
    this.slider = make("input", { type: "range", min: 0 });
    this.slider.addEventListener("input", () => this.show());
    this.moment = make("output", {});
    this.playing = make("button", { type: "button" }, "Play");
    this.playing.addEventListener("click", () => this.play());
    const choices = make("div", { class: "choices" }, make("label", {}, "agent", select), make("label", {}, "training", this.slider, this.moment), this.playing);
    this.board = make("div", { class: "board" });
    this.inspector = make("div", { class: "inspector", "aria-live": "polite" });
    this.place.append(choices, this.board, this.inspector);
    this.begin();
  }

  begin() {
    const { world } = this.group;
    this.slider.max = world.snapshots.length - 1;
    this.slider.value = this.slider.max;
    this.width = world.rows[0].length;
    const cells = make("div", { class: "cells", role: "grid", "aria-label": `Map, ${world.rows.length} rows, ${this.width} columns`, style: `grid-template-columns: repeat(${this.width}, 1fr)` });
    this.buttons = [];
    for (const row of world.rows) {
      const line = make("div", { role: "row" });
      for (const cell of row) {
        const state = this.buttons.length;
        const button = make("button", { type: "button", role: "gridcell", "data-cell": cell, "data-state": state, tabindex: -1 });
        button.addEventListener("click", () => this.choose(state));
        this.buttons.push(button);
        line.append(button);
      }
      cells.append(line);
    }
    cells.addEventListener("keydown", (event) => this.move(event));
    this.path = make("svg", { viewBox: `0 0 ${this.width} ${world.rows.length}`, "aria-hidden": "true" });
    this.board.replaceChildren(cells, this.path);
    if (this.cell === null || this.cell >= this.buttons.length) this.cell = world.rows.join("").indexOf("S");
    this.show();
  }

  get snapshot() { return this.group.world.snapshots[Number(this.slider.value)]; }

  actionValues(state) {
    const width = this.group.world.actions.length;
    return this.snapshot.actions.slice(state * width, (state + 1) * width);
  }

  skipValues(state, action) {
    const { skips, actions } = this.group.world, row = state * actions.length + action;
    return this.snapshot.skips.length ? this.snapshot.skips.slice(row * skips.length, (row + 1) * skips.length) : [this.actionValues(state)[action]];
  }

  /** The best action, and the longest of the best skips. */
  decision(state) {
    const values = this.actionValues(state), action = values.indexOf(Math.max(...values));
    const lengths = this.skipValues(state, action);
    return [action, this.group.world.skips[lengths.lastIndexOf(Math.max(...lengths))]];
  }

  choose(state, focus = false) {
    this.cell = state;
    this.action = null;
    this.show();
    if (focus) this.buttons[state].focus();
  }

  move(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.width, ArrowDown: this.width }[event.key];
    const target = this.cell + steps;
    if (!steps || !(target in this.buttons)) return;
    event.preventDefault();
    this.choose(target, true);
  }

  show() {
    const { world } = this.group, cells = world.rows.join("");
    this.moment.textContent = `after ${count(this.snapshot.episode, "episode")}`;
    this.slider.setAttribute("aria-valuetext", this.moment.textContent);
    const small = this.width > 16;
    this.buttons.forEach((button, state) => {
      const kind = cells[state], row = Math.floor(state / this.width), column = state % this.width;
      const inside = kind === "." || kind === "S", values = this.actionValues(state);
      const learned = inside && values.some((value) => value !== 0);
      const [action, skip] = this.decision(state);
      const mark = learned ? `${ARROWS[world.actions[action]]}${world.skips.length > 1 ? skip : ""}` : "";
      button.textContent = kind === "G" ? "★" : small ? "" : mark;
      button.style.background = learned ? tint(Math.max(...values)) : "";
      button.tabIndex = state === this.cell ? 0 : -1;
      button.setAttribute("aria-selected", state === this.cell);
      const says = learned ? `, plays ${world.actions[action]} for ${count(skip, "step")}` : "";
      button.setAttribute("aria-label", `row ${row}, column ${column}, ${CELLS[kind]}${says}`);
    });
    this.path.replaceChildren(...pathShapes(this.snapshot.path, this.width, this.group.colour));
    this.inspect();
  }

  inspect() {
    const { world } = this.group, state = this.cell;
    const values = this.actionValues(state), action = this.action ?? this.decision(state)[0];
    const title = make("h4", {}, `Row ${Math.floor(state / this.width)}, column ${state % this.width}`);
    const which = make("select", { "aria-label": "Action whose skips are shown" }, ...world.actions.map((name) => make("option", {}, name)));
    which.selectedIndex = action;
    which.addEventListener("change", () => { this.action = which.selectedIndex; this.inspect(); });
    const steps = this.snapshot.path.reduce((sum, stretch) => sum + stretch.length - 1, 0);
    this.inspector.replaceChildren(
      title,
      bars("Value of every action", world.actions.map((name) => `${ARROWS[name]} ${name}`), values),
      make("label", {}, "Skips of ", which),
      bars("Value of every skip", world.skips.map((skip) => count(skip, "step")), this.skipValues(state, action), true),
      make("p", { class: "quiet" }, `Greedy path of seed ${world.seed}: ${count(this.snapshot.path.length, "decision")} in ${count(steps, "step")}.`),
    );
  }

  play() {
    if (this.timer) { clearInterval(this.timer); this.timer = null; this.playing.textContent = "Play"; return; }
    if (this.slider.value === this.slider.max) this.slider.value = 0;
    this.playing.textContent = "Stop";
    this.timer = setInterval(() => {
      this.slider.value = Number(this.slider.value) + 1;
      this.show();
      if (this.slider.value === this.slider.max) this.play();
    }, 700);
  }
}

/** A cell's colour by its value: violet where it is good to be, red where it is bad. */
function tint(value) {
  const share = Math.round(Math.min(1, Math.abs(value)) * 28);
  return `color-mix(in oklab, var(--${value < 0 ? "bad" : "accent"}) ${share}%, var(--floor))`;
}

/** Rows of names, bars and numbers; the best is marked. */
function bars(caption, names, values, lastIsBest = false) {
  const best = Math.max(...values), low = Math.min(0, ...values), high = Math.max(...values, low + 1e-9);
  const chosen = lastIsBest ? values.lastIndexOf(best) : values.indexOf(best);
  const rows = values.map((value, at) => {
    const bar = make("div", { class: "bar", style: `width: ${(100 * (value - low)) / (high - low)}%` });
    return make("tr", at === chosen ? { class: "best" } : {}, make("th", { scope: "row" }, names[at]), make("td", {}, bar), make("td", { class: "number" }, value.toFixed(3)));
  });
  return make("table", { class: "bars" }, make("caption", {}, caption), make("tbody", {}, ...rows));
}

/** A dot where it decides, an arc to where it decides next, a label with the number of steps. */
function pathShapes(path, width, colour) {
  const point = (state) => [(state % width) + 0.5, Math.floor(state / width) + 0.5];
  const scale = Math.max(1, width / 16), shapes = [], dots = [], labels = [];
  const skips = path.some((stretch) => stretch.length > 2);
  if (!skips) shapes.push(make("polyline", { points: path.map((stretch) => point(stretch[0])).concat([point(path.at(-1).at(-1))]).map((at) => at.join(",")).join(" "), fill: "none", stroke: colour, "stroke-width": 0.07 * scale, "stroke-dasharray": "0.2 0.14" }));
  const sides = outerSides(path.map((stretch) => [point(stretch[0]), point(stretch.at(-1))]));
  path.forEach((stretch, at) => {
    const [x, y] = point(stretch[0]), [endX, endY] = point(stretch.at(-1));
    dots.push(make("circle", { class: "decision", cx: x, cy: y, r: (skips ? 0.2 : 0.12) * scale, fill: colour, stroke: "#fff", "stroke-width": 0.04 * scale }));
    if (!skips) return;
    const far = Math.hypot(endX - x, endY - y) || 1, lift = 0.5 * scale * sides[at];
    const [overX, overY] = [(x + endX) / 2 + ((endY - y) / far) * 2 * lift, (y + endY) / 2 - ((endX - x) / far) * 2 * lift];
    shapes.push(make("path", { d: `M${x} ${y} Q${overX} ${overY} ${endX} ${endY}`, fill: "none", stroke: colour, "stroke-width": 0.1 * scale, "stroke-linecap": "round" }));
    const [labelX, labelY] = [(x + endX) / 4 + overX / 2, (y + endY) / 4 + overY / 2];
    labels.push(make("circle", { cx: labelX, cy: labelY, r: 0.27 * scale, fill: "#fff", stroke: colour, "stroke-width": 0.04 * scale }));
    labels.push(make("text", { x: labelX, y: labelY + 0.115 * scale, "font-size": 0.32 * scale, "text-anchor": "middle", "font-weight": 700, fill: "#222" }, String(stretch.length - 1)));
  });
  return [...shapes, ...dots, ...labels];
}

/** On which side of its chord each arc bulges: outwards, away from where the path turns next. */
function outerSides(ends) {
  const moves = ends.map(([[x, y], [endX, endY]]) => [endX - x, endY - y]);
  const turns = moves.slice(1).map(([x, y], at) => Math.sign(moves[at][0] * y - moves[at][1] * x));
  return moves.map((_, at) => turns.slice(at).find(Boolean) ?? turns.slice(0, at).findLast(Boolean) ?? 1);
}
