"use strict";
/* Everything is drawn when it is about to be seen. */

const scenes = JSON.parse(document.getElementById("data").textContent);
const allCharts = [];

function fill(section) {
  const scene = scenes[Number(section.dataset.scene)];
  if (!scene.groups.length) return;
  const charts = new SceneCharts(section, scene);
  allCharts.push(charts);
  addLegend(section, scene, charts);
  charts.draw();
  const world = section.querySelector(".world");
  if (world) new WorldMap(world, scene.groups);
  const recordings = section.querySelector(".recordings");
  if (recordings) for (const group of scene.groups) for (const recording of group.recordings) addRecording(recordings, group, recording);
  section.dataset.filled = "yes";
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    fill(entry.target);
  }
}, { rootMargin: "400px" });
for (const section of document.querySelectorAll(".scene")) seen.observe(section);
theme.listeners.push(() => allCharts.forEach((charts) => charts.draw()));
theme.changed();
document.documentElement.dataset.ready = "yes";
