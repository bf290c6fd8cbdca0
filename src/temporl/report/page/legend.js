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
    if (!scene.groups.every((group) => group.x[name])) continue;
    const input = make("input", { type: "radio", name: `axis-${section.id}`, value: name });
    input.checked = name === charts.axis;
    input.addEventListener("change", () => { charts.axis = name; charts.draw(); });
    axis.append(make("label", {}, input, ` ${name}`));
  }
  for (const name of ["log", "seeds"]) {
    section.querySelector(`input.${name}`).addEventListener("change", (event) => { charts[name] = event.target.checked; charts.draw(); });
  }
  section.querySelector(".reset").addEventListener("click", () => charts.reset());
}
