"use strict";
/* Learning curves, the trade-off and the histogram of one scene, drawn with Plotly. */

const AXES = { steps: "environment steps", episodes: "episodes", decisions: "decisions in training", seconds: "seconds" };
const AXIS_NAMES = { seconds: "wall time" };
const CONFIG = { displayModeBar: false, responsive: true };
/* A finger that moves over a chart scrolls the page. */
const DRAG = matchMedia("(pointer: coarse)").matches ? false : "zoom";

function layout(x, y, extra = {}) {
  const ink = theme.colour("ink"), line = theme.colour("line"), quiet = theme.colour("quiet");
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, tickfont: { color: quiet }, automargin: true };
  return {
    font: { family: "system-ui, sans-serif", size: 12, color: ink },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false,
    margin: { l: 48, r: 12, t: 12, b: 40 }, dragmode: DRAG, hovermode: "closest",
    hoverlabel: { bgcolor: theme.colour("card"), bordercolor: line, font: { color: ink } },
    xaxis: { ...axis, title: { text: x, standoff: 8 } }, yaxis: { ...axis, title: { text: y } }, ...extra,
  };
}

/** Colours as `rgba`, for bands and single seeds. */
function faded(colour, share) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `rgba(${red},${green},${blue},${share})`;
}

function curveTraces(group, name, axis, withSeeds) {
  const x = group.x[axis], curve = curveOf(group, name);
  const traces = [];
  if (!x) return traces;
  if (withSeeds && curve.seeds.length) {
    const xs = [], ys = [];
    for (const seed of curve.seeds) { xs.push(...x, null); ys.push(...seed, null); }
    traces.push({ x: xs, y: ys, mode: "lines", line: { color: faded(group.colour, 0.35), width: 1 }, hoverinfo: "skip", name: `${group.label}, seeds` });
  } else if (curve.low) {
    traces.push({ x: [...x, ...[...x].reverse()], y: [...curve.high, ...[...curve.low].reverse()], fill: "toself", fillcolor: faded(group.colour, 0.18), line: { width: 0 }, mode: "lines", hoverinfo: "skip", name: `${group.label}, interval` });
  }
  traces.push({ x, y: curve.mean, mode: "lines", cliponaxis: false, line: { color: group.colour, width: 2.2 }, name: group.label, hovertemplate: `%{y:.4~g} at %{x:.4~s}<extra>${plain(group.label)}</extra>` });
  return traces;
}

/** Text that Plotly must not read as markup. */
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("%{", "% {");

/** A recorded curve, or the quotient of two. */
function curveOf(group, name) {
  if (name !== "rhythm") return group.curves[name];
  const { length, decisions } = group.curves;
  const quotient = (over, under) => over.map((value, at) => value / Math.max(under[at], 1));
  return { mean: quotient(length.mean, decisions.mean), low: null, seeds: length.seeds.map((seed, at) => quotient(seed, decisions.seeds[at])) };
}

function tradeTraces(group, withSeeds) {
  const { decisions, return: earned } = group.summary;
  const spread = ([value, low, high]) => low === null ? null : { type: "data", symmetric: false, array: [high - value], arrayminus: [value - low], color: group.colour, thickness: 1.4, width: 3 };
  const traces = [{
    x: [decisions[0]], y: [earned[0]], mode: "markers", marker: { color: group.colour, size: 13, line: { color: theme.colour("card"), width: 2 } },
    error_x: spread(decisions), error_y: spread(earned), hovertemplate: `return %{y:.4~g} with %{x:.4~g} decisions<extra>${plain(group.label)}</extra>`,
  }];
  if (withSeeds) traces.unshift({ x: group.final.decisions, y: group.final.return, mode: "markers", marker: { color: faded(group.colour, 0.45), size: 6 }, text: group.seeds.map((seed) => `seed ${seed}`), hovertemplate: "%{text}: return %{y:.4~g}, %{x:.4~g} decisions<extra></extra>" });
  return traces;
}

function skipTraces(group) {
  if (!group.skips) return [];
  const lengths = Object.keys(group.skips.counts).map(Number), counts = Object.values(group.skips.counts);
  const total = counts.reduce((sum, value) => sum + value, 0);
  return [{ type: "bar", x: lengths, y: counts.map((value) => value / total), marker: { color: group.colour }, hovertemplate: `%{y:.0%} of decisions last %{x} steps<extra>${plain(group.label)}</extra>` }];
}

/** Where steps of training lie along another axis. */
function placed(group, steps, axis) {
  const from = [0, ...group.x.steps], to = [0, ...group.x[axis]];
  return steps.map((step) => {
    const after = from.findIndex((other) => other >= step);
    if (after < 1) return after < 0 ? to.at(-1) : to[0];
    return to[after - 1] + (to[after] - to[after - 1]) * (step - from[after - 1]) / (from[after] - from[after - 1]);
  });
}

/** Shares of skips: training along, skips upwards, the share as a shade of the agent's colour. */
function developmentTraces(group, axis, log) {
  const { steps, skips, shares } = group.development;
  const edges = placed(group, steps, group.x[axis] ? axis : "steps");
  if (log) edges[0] = edges[1] / 2;
  return [{
    type: "heatmap", x: edges, y: skips.map(String), z: shares, zmin: 0, zmax: 1, ygap: 1,
    colorscale: [[0, theme.colour("soft")], [1, group.colour]], colorbar: { thickness: 10, outlinewidth: 0, tickformat: ".0%", tickfont: { color: theme.colour("quiet") } },
    hovertemplate: `%{z:.0%} of decisions last %{y} steps at %{x:.4~s}<extra>${plain(group.label)}</extra>`,
  }];
}

/** All charts of a scene: redrawn when what is shown changes. */
class SceneCharts {
  constructor(section, scene) {
    Object.assign(this, { section, scene, axis: "steps", log: false, seeds: false, watched: scene.groups.findLastIndex((group) => group.development) });
    this.shown = scene.groups.map((_, at) => at < 20);
    this.turn = 0;
    for (const chart of section.querySelectorAll(".chart")) chart.addEventListener("keydown", (event) => moveByKey(chart, event));
  }

  /** Those that can be seen at once, the others one by one as soon as there is time. */
  draw() {
    const turn = ++this.turn, waiting = [];
    for (const chart of this.section.querySelectorAll(".chart")) {
      const { top, bottom } = chart.getBoundingClientRect();
      if (top < innerHeight && bottom > 0) this.drawOne(chart, chart.dataset.chart);
      else waiting.push(chart);
    }
    const next = () => {
      if (turn !== this.turn) return;
      const chart = waiting.shift();
      this.section.toggleAttribute("data-complete", !chart);
      if (!chart) return;
      this.drawOne(chart, chart.dataset.chart);
      setTimeout(next);
    };
    this.section.removeAttribute("data-complete");
    setTimeout(next);
  }

  drawOne(chart, name) {
    const groups = this.scene.groups.filter((_, at) => this.shown[at]);
    const along = { type: this.log ? "log" : "linear" };
    let traces, drawn;
    if (name === "trade") {
      traces = groups.flatMap((group) => tradeTraces(group, this.seeds));
      drawn = layout("decisions in an episode", "return");
    } else if (name === "skips") {
      traces = groups.flatMap(skipTraces);
      drawn = layout("steps", "share of decisions", { barmode: "group", bargap: 0.15 });
      drawn.yaxis.tickformat = ".0%";
      chart.parentElement.hidden = !this.scene.groups.some((group) => group.skips);
    } else if (name === "development") {
      const group = this.scene.groups[this.watched];
      chart.parentElement.hidden = !group;
      if (!group) return;
      traces = developmentTraces(group, this.axis, this.log);
      drawn = layout(AXES[group.x[this.axis] ? this.axis : "steps"], "steps of a decision");
      Object.assign(drawn.xaxis, along);
      drawn.yaxis.type = "category";
      chart.setAttribute("aria-label", describeDevelopment(group));
      Plotly.react(chart, traces, drawn, CONFIG);
      return;
    } else {
      traces = groups.flatMap((group) => curveTraces(group, name, this.axis, this.seeds));
      drawn = layout(AXES[this.axis], "");
      Object.assign(drawn.xaxis, along);
    }
    chart.setAttribute("aria-label", describe(name, groups, this.axis));
    Plotly.react(chart, traces, drawn, CONFIG);
  }

  reset() {
    for (const chart of this.section.querySelectorAll(".js-plotly-plot")) Plotly.relayout(chart, { "xaxis.autorange": true, "yaxis.autorange": true });
  }
}

/** What a chart shows, in words. */
function describe(name, groups, axis) {
  const number = (value) => Number(value.toPrecision(4)).toLocaleString("en");
  const last = (group) => curveOf(group, name).mean.at(-1);
  if (name === "trade") return "Return against decisions: " + groups.map((g) => `${g.label} earns ${number(g.summary.return[0])} with ${number(g.summary.decisions[0])} decisions`).join("; ");
  if (name === "skips") return "Skips chosen: " + groups.filter((g) => g.skips).map((g) => `${g.label} ` + Object.entries(g.skips.counts).map(([skip, times]) => `${skip} steps ${times} times`).join(", ")).join("; ");
  const title = { return: "Return", length: "Steps of an episode", decisions: "Decisions", rhythm: "Steps per decision" }[name];
  return `${title} against ${AXES[axis]}: ` + groups.map((group) => `${group.label} ends at ${number(last(group))}`).join("; ");
}

/** How the shares of skips changed, in words. */
function describeDevelopment(group) {
  const { skips, shares } = group.development, last = shares[0].length - 1;
  const at = (moment) => skips.map((skip, row) => [shares[row][moment], skip]).filter(([share]) => share >= 0.05).sort((a, b) => b[0] - a[0])
    .map(([share, skip]) => `${Math.round(100 * share)} % last ${count(skip, "step")}`).join(", ");
  return `Decisions of ${group.label} over training. At first: ${at(0)}. Halfway: ${at(last >> 1)}. At the end: ${at(last)}.`;
}

/** Move and zoom a focused chart: arrows, plus and minus, 0 for the whole range. */
function moveByKey(chart, event) {
  const vertical = event.key === "ArrowUp" || event.key === "ArrowDown", axis = vertical ? "yaxis" : "xaxis";
  if (!chart._fullLayout) return;
  const [low, high] = chart._fullLayout[axis].range, width = high - low;
  const moves = { ArrowLeft: -0.1, ArrowRight: 0.1, ArrowDown: -0.1, ArrowUp: 0.1 };
  if (event.key in moves) Plotly.relayout(chart, { [`${axis}.range`]: [low + moves[event.key] * width, high + moves[event.key] * width] });
  else if (event.key === "+" || event.key === "=") Plotly.relayout(chart, { "xaxis.range": [low, low + width * 0.75] });
  else if (event.key === "-") Plotly.relayout(chart, { "xaxis.range": [low, low + width / 0.75] });
  else if (event.key === "0") Plotly.relayout(chart, { "xaxis.autorange": true, "yaxis.autorange": true });
  else return;
  event.preventDefault();
}
