"use strict";
/* What a scene shows: agents, the axis, seeds. */

function addLegend(section, scene, charts) {
  const legend = section.querySelector(".legend");
  scene.groups.forEach((group, at) => {
    const button = make("button", { type: "button", style: `--colour: ${group.colour}`, "aria-pressed": charts.shown[at] }, group.label);
    button.addEventListener("click", () => {
      charts.shown[at] = !charts.shown[at];
      button.setAttribute("aria-pressed", charts.shown[at]);
      charts.draw();
    });
    legend.append(button);
  });
  const axis = section.querySelector(".axis");
  for (const name of Object.keys(AXES)) {
    const without = scene.groups.filter((group) => !group.x[name]);
    if (without.length && name !== "seconds") continue;
    const input = make("input", { type: "radio", name: `axis-${section.id}`, value: name });
    input.checked = name === charts.axis;
    input.addEventListener("change", () => { charts.axis = name; charts.draw(); });
    input.disabled = without.length === scene.groups.length;
    const whose = input.disabled ? "not recorded" : `not recorded for ${without.map((group) => group.label).join(", ")}`;
    axis.append(make("label", {}, input, ` ${AXIS_NAMES[name] ?? name}${without.length ? ` (${whose})` : ""}`));
  }
  const watched = section.querySelector("select.watched");
  scene.groups.forEach((group, at) => {
    if (group.development) watched.append(make("option", { value: at }, group.label));
  });
  watched.value = charts.watched;
  watched.addEventListener("change", () => { charts.watched = Number(watched.value); charts.drawOne(section.querySelector("[data-chart=development]"), "development"); });
  for (const name of ["log", "seeds"]) {
    section.querySelector(`input.${name}`).addEventListener("change", (event) => { charts[name] = event.target.checked; charts.draw(); });
  }
  section.querySelector(".reset").addEventListener("click", () => charts.reset());
}
