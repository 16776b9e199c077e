"use strict";
const tools = document.querySelector(".tools");
const turns = [...document.querySelectorAll(".turns > li")];
const texts = turns.map((turn) => turn.textContent.toLowerCase());
const seats = [...document.querySelectorAll(".tools button")];
const words = document.querySelector(".tools input");

function find() {
  const who = seats.find((one) => one.getAttribute("aria-pressed") === "true")?.value ?? "";
  const sought = words.value.trim().toLowerCase();
  turns.forEach((turn, place) => {
    turn.hidden = Boolean((who && turn.dataset.who !== who) || (sought && !texts[place].includes(sought)));
  });
  for (const round of document.querySelectorAll(".round")) {
    const left = [...round.querySelectorAll(".turns > li")].some((turn) => !turn.hidden);
    round.classList.toggle("emptied", !left);
    round.classList.toggle("sifted", Boolean(who || sought));
  }
  tools.querySelector("output").value = `${turns.filter((turn) => !turn.hidden).length} / ${turns.length}`;
  mark(sought);
}

function mark(sought) {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  if (!sought) return;
  const ranges = [];
  for (const turn of turns.filter((one) => !one.hidden)) {
    const walk = document.createTreeWalker(turn, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const text = walk.currentNode.data.toLowerCase();
      for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) {
        const range = new Range();
        range.setStart(walk.currentNode, at);
        range.setEnd(walk.currentNode, Math.min(at + sought.length, walk.currentNode.length));
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

function choose(seat) {
  for (const one of seats) one.setAttribute("aria-pressed", String(one === seat));
  find();
}

function arrive() {
  const turn = document.getElementById(location.hash.slice(1));
  if (!turn || !turn.closest("[hidden], .emptied")) return;
  words.value = "";
  choose(seats[0]);
  turn.scrollIntoView();
}

function drawn(chart) {
  const kept = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight"];
  const copy = chart.cloneNode(true);
  const parts = [...chart.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, place) => {
    const style = getComputedStyle(parts[place]);
    for (const name of kept) part.setAttribute(name, style.getPropertyValue(name));
    part.removeAttribute("class");
  });
  const [, , width, height] = chart.getAttribute("viewBox").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", width);
  paper.setAttribute("height", height);
  paper.setAttribute("fill", getComputedStyle(chart.closest("figure")).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

function save(chart) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([drawn(chart)], { type: "image/svg+xml" }));
  link.download = `${document.body.dataset.run}-${chart.closest("figure").id}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

if (tools) {
  tools.hidden = false;
  words.addEventListener("input", find);
  for (const seat of seats) seat.addEventListener("click", () => choose(seat));
  addEventListener("hashchange", arrive);
  find();
}
for (const button of document.querySelectorAll("button.save")) {
  button.hidden = false;
  button.addEventListener("click", () => save(button.closest("figure").querySelector("svg")));
}
