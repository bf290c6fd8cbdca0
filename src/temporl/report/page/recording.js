"use strict";
/* A recorded episode: the video and the time line of its decisions play together. */

function addRecording(place, group, recording) {
  const total = recording.rewards.length, rate = recording.frames_per_second;
  const title = `${group.label}: ${recording.name}`;
  if (!recording.source) {
    place.append(make("p", { class: "quiet" }, `${title} is left out, so that this page stays small.`));
    return;
  }
  const screen = recording.is_video
    ? make("video", { src: recording.source, controls: "", playsinline: "", loop: "", preload: "auto", "aria-label": title })
    : make("img", { src: recording.source, alt: title });
  if (recording.is_video) screen.muted = true;
  const head = make("div", { class: "head" });
  const line = make("div", { class: "timeline", role: "group", "aria-label": `Decisions of ${title}` }, head);
  const says = make("div", { class: "inspector" });
  let current = -1;

  const show = (at, step) => {
    head.style.left = `${(100 * step) / total}%`;
    if (at === current) return;
    current = at;
    buttons.forEach((button, number) => button.setAttribute("aria-pressed", number === at));
    says.replaceChildren(...decisionText(recording, at));
  };
  const jump = (at) => {
    const { step } = recording.decisions[at];
    // The middle of a frame, so that rounding cannot show its neighbour.
    if (recording.is_video) { screen.pause(); screen.currentTime = (step + 0.5) / rate; }
    show(at, step);
  };
  const buttons = recording.decisions.map((decision, at) => {
    const skip = decision.played;
    const button = make("button", { type: "button", style: `left: ${(100 * decision.step) / total}%; width: ${(100 * skip) / total}%; --shade: ${group.colour}`, "aria-label": `decision ${at + 1} at step ${decision.step}: ${decision.action} for ${count(skip, "step")}`, tabindex: at ? -1 : 0 }, 100 * skip > 3 * total ? `${skip}` : "");
    button.addEventListener("click", () => jump(at));
    line.insertBefore(button, head);
    return button;
  });
  line.addEventListener("keydown", (event) => {
    const target = current + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0);
    if (target === current || !(target in buttons)) return;
    event.preventDefault();
    jump(target);
    buttons[target].focus();
  });
  const follow = () => {
    const step = Math.min(total - 1, Math.floor(screen.currentTime * rate));
    show(recording.decisions.findLastIndex((decision) => decision.step <= step), step);
  };
  if (recording.is_video) for (const event of ["timeupdate", "seeked"]) screen.addEventListener(event, follow);
  const turn = (text, by) => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => { if (current + by in buttons) jump(current + by); });
    return button;
  };
  const earned = recording.rewards.reduce((sum, reward) => sum + reward, 0);
  const facts = make("p", { class: "quiet" }, `${title}. ${count(buttons.length, "decision")} in ${count(total, "step")}, return ${Number(earned.toPrecision(5))}.`);
  const left = make("div", {}, screen, line, make("div", { class: "steps" }, turn("‹ earlier decision", -1), turn("later decision ›", 1)));
  place.append(make("div", { class: "recording" }, left, make("div", {}, facts, says)));
  show(0, 0);
}

function decisionText(recording, at) {
  const decision = recording.decisions[at];
  const parts = [make("h4", {}, `Decision ${at + 1}, step ${decision.step}`), make("p", {}, `Plays ${decision.action} for ${count(decision.skip, "step")}${decision.played < decision.skip ? `, cut after ${decision.played} by the end` : ""}.`)];
  const skips = Object.keys(decision.values);
  if (skips.length > 1) {
    const values = Object.values(decision.values), low = Math.min(...values);
    parts.push(bars("Value of every skip, above the worst", skips.map((skip) => count(Number(skip), "step")), values.map((value) => value - low), true));
  }
  return parts;
}
