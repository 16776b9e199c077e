"use strict";
// Everything works without this file; with it, a run's page goes on while the run does.
const body = document.body;
const at = (id) => document.getElementById(id);
const made = (name, text, kind) => Object.assign(document.createElement(name), { textContent: text ?? "", className: kind ?? "" });

// One run, live ------------------------------------------------------------------------------------------------------

const live = body.dataset.run && at("live");
let paused = false;
let kept = [];
let refreshing = 0;
let speaking = "";
let waitsFor = "";
let unseen = 0;
let quietSince = 0;

function nearEnd() {
  return innerHeight + scrollY > document.querySelector("#now").offsetTop - 160;
}

function roundOf(told) {
  const heading = at(`round-${told.round}`);
  if (heading) return heading.closest(".round");
  const section = made("section", "", "round");
  section.append(Object.assign(made("h3", told.title), { id: `round-${told.round}` }));
  const course = made("div", "", "course");
  course.append(made("ol", "", "turns"));
  section.append(course);
  section.setAttribute("aria-labelledby", `round-${told.round}`);
  (at("talk") ?? live).append(section);
  return section;
}

function addTurn(told) {
  const known = told.turn && at(`turn-${told.turn}`);
  const holder = document.createElement("template");
  holder.innerHTML = told.html;
  const turn = holder.content.querySelector("li");
  if (!turn || (known && turn.id)) return;
  const follow = nearEnd() && !live.contains(document.activeElement);
  turn.classList.add("fresh");
  roundOf(told).querySelector(".turns").append(turn);
  offerFork(turn);
  localTimes(turn);
  if (told.who === speaking) sayWords("", null);
  if (follow) scrollTo({ top: document.querySelector("#now").offsetTop, behavior: "instant" });
  else tellNewest(unseen + 1);
}

function tellNewest(count) {
  unseen = count;
  at("newest").textContent = at("newest").dataset.told.replace("{count}", count);
  at("newest").hidden = !count;
}

// After ten seconds without a word or a step, the page says for how long somebody has been thinking.
function tellThinking() {
  const seconds = Math.floor((Date.now() - quietSince) / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  at("thinking").textContent = at("thinking").dataset.told.replace("{time}", time);
  at("thinking").hidden = body.dataset.state !== "live" || seconds < 10;
}

function addLines(told) {
  const rounds = live.querySelectorAll(".round");
  const round = (told.round && at(`round-${told.round}`)?.closest(".round")) || rounds[rounds.length - 1];
  for (const line of round ? told.lines : []) {
    round.querySelector(".course").append(made("p", line, "mark"));
  }
}

function sayWords(who, text) {
  if (speaking !== who || text === null) at("words").textContent = "";
  speaking = who;
  if (text) at("words").append(text);
  at("speaker").textContent = who;
  at("bubble").hidden = !text;
  at("words").scrollTop = at("words").scrollHeight;
}

function offerFork(turn) {
  if (!turn.id || turn.querySelector(".fork-here")) return;
  const link = made("a", live.dataset.fork, "fork-here");
  link.href = `/runs/${body.dataset.run}/fork?turn=${turn.id.slice(5)}`;
  link.setAttribute("aria-label", `${live.dataset.fork}: ${turn.id.slice(5)}`);
  turn.querySelector(".by").append(link);
}

const drawn = (one) => one.outerHTML.replaceAll(' open=""', "");

// Beside the children that stay, `old` gets those of `fresh`, in their order; what is the same already is not touched.
function drawBeside(old, fresh, stays) {
  const theirs = [...fresh.children].map(drawn);
  const gone = [...old.children].filter((one) => !one.matches(stays) && !theirs.includes(drawn(one)));
  if (gone.some((one) => one.contains(document.activeElement))) return;
  for (const one of gone) one.remove();
  let place = old.firstElementChild;
  for (const one of [...fresh.children]) {
    if (place && (drawn(place) === drawn(one) || (place.matches(stays) && one.matches(stays)))) place = place.nextElementSibling;
    else if (!one.matches(stays)) old.insertBefore(document.adoptNode(one), place);
  }
}

// The heading of the talk, and what stands beside the turns of its rounds: their order, and charts of what they came to.
function drawTalk(page) {
  const [old, fresh] = [document, page].map((one) => one.getElementById("talk"));
  if (!old || !fresh) return;
  for (const round of fresh.querySelectorAll(".round")) {
    const known = at(round.querySelector("h3").id)?.closest(".round");
    if (!known) continue;
    drawBeside(known, round, ".course");
    known.className = round.className;
  }
  drawBeside(old, fresh, ".round");
}

// What is drawn from the whole record is fetched again and put in place; what one reads or has opened stays as it is.
async function refresh() {
  const answer = await fetch(`/runs/${body.dataset.run}`, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!live && page.getElementById("live")) return location.reload();
  localTimes(page);
  for (const old of document.querySelectorAll("[data-part]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh || old.contains(document.activeElement) || fresh.innerHTML === old.innerHTML) continue;
    const open = [...old.querySelectorAll("details[open][id]")].map((one) => one.id);
    old.replaceWith(document.adoptNode(fresh));
    for (const id of open) at(id).open = true;
  }
  if (!live) return;
  drawTalk(page);
  document.title = page.title;
  body.dataset.state = page.body.dataset.state;
  if (body.dataset.state !== "live") at("doing").textContent = page.getElementById("doing").textContent;
  at("now").hidden = body.dataset.state === "finished";
}

function refreshSoon() {
  clearTimeout(refreshing);
  refreshing = setTimeout(refresh, 150);
}

const HEARD = {
  said: (told) => { addTurn(told); refreshSoon(); },
  missed_turn: addTurn,
  position: (told) => { addLines(told); refreshSoon(); },
  vote: (told) => { addLines(told); refreshSoon(); },
  spent: (told) => {
    const [calls, tokens] = [told.calls, told.tokens].map((one) => one.toLocaleString("en"));
    const line = at("spent").dataset[told.calls === 1 ? "one" : "told"].replace("{calls}", calls).replace("{tokens}", tokens);
    at("spent").replaceChildren(made("strong", told.money), made("span", told.money ? ` · ${line}` : line, "amounts"));
    if (at("share")) at("share").value = told.share;
    refreshSoon();
  },
  ended: () => { sayWords("", null); refreshSoon(); },
  waiting: (told) => {
    const resting = (at("doing").dataset[told.state] ?? at("doing").dataset.resting).replace("{who}", told.who.join(", "));
    at("doing").textContent = told.state === "live" ? told.doing : told.state === "finished" ? "" : resting;
    if (told.state !== body.dataset.state || String(told.who) !== waitsFor) refreshSoon();
    waitsFor = String(told.who);
    if (told.state !== "live") sayWords("", null);
  },
  doing: (told) => {
    at("doing").textContent = told.text;
    if (body.dataset.state !== "live") refreshSoon();
    const node = told.step === "speak_blind" ? "speak" : told.step;
    for (const phase of at("phases")?.querySelectorAll("[data-nodes]") ?? []) {
      if (phase.dataset.nodes.split(" ").includes(node)) phase.setAttribute("aria-current", "step");
      else phase.removeAttribute("aria-current");
    }
  },
  words: (told) => { if (body.dataset.state === "live") sayWords(told.who, told.text); },
  reload: () => location.reload(),
};

// While the room cannot be reached, the page says so and since when, and what it cannot do is disabled.
function tellLoss(source, place) {
  const show = (lost) => {
    if (lost && at("gone").hidden) {
      const time = new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
      at("gone-since").textContent = at("gone").dataset.told.replace("{time}", time);
    }
    at("gone").hidden = !lost;
    at(place).hidden = lost;
    for (const one of at("acts").querySelectorAll("button")) one.disabled = lost;
    for (const one of at("acts").querySelectorAll("a")) one.toggleAttribute("aria-disabled", lost);
  };
  source.addEventListener("open", () => show(false));
  source.addEventListener("error", () => show(true));
  addEventListener("offline", () => show(true));
  addEventListener("online", () => show(source.readyState !== EventSource.OPEN));
  at("gone-retry").addEventListener("click", () => fetch(location.pathname).then(() => location.reload()).catch(() => show(true)));
}

function hear(kind, data) {
  const told = JSON.parse(data);
  if (!live) refreshSoon();
  else if (paused && kind !== "reload") kept.push(() => HEARD[kind](told));
  else HEARD[kind](told);
  quietSince = Date.now();
}

if (body.dataset.run) {
  const source = new EventSource(`/runs/${body.dataset.run}/events?after=${body.dataset.cursor ?? ""}`);
  if (live) tellLoss(source, "doing");
  for (const kind of Object.keys(HEARD)) source.addEventListener(kind, (event) => hear(kind, event.data));
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

if (live) {
  live.querySelectorAll(".turns > li").forEach(offerFork);
  const pause = at("pause");
  const [going, held] = [pause.textContent, pause.dataset.held];
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? held : going;
    for (const one of paused ? [] : kept.splice(0)) one();
  });
  at("newest").addEventListener("click", () => {
    scrollTo({ top: document.body.scrollHeight });
    tellNewest(0);
  });
  addEventListener("scroll", () => { if (nearEnd()) tellNewest(0); }, { passive: true });
  quietSince = Math.min(Date.now(), Date.parse(at("thinking").dataset.since) || Date.now());
  setInterval(tellThinking, 1000);
}

// A seat -------------------------------------------------------------------------------------------------------------

const sheet = at("sheet-form");
let written = false;
let writtenFor = ""; // the question that was open when somebody wrote, also while none is
let sending = false;
let keeping = 0;
let looking = 0;

const parsed = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

// The draft is kept on the server while it is written, so that it is there after a reload, a restart, on another device.
async function keepDraft() {
  clearTimeout(keeping);
  if (!written || sending) return;
  const draft = new FormData(sheet);
  draft.set("do", "keep");
  written = false;
  try {
    const answer = await fetch(sheet.action, { method: "POST", body: draft, keepalive: true });
    if (!answer.ok) throw answer.status;
    at("kept").textContent = at("kept").dataset.kept;
  } catch {
    written = true;
    at("kept").textContent = at("kept").dataset.unkept;
    keeping = setTimeout(keepDraft, 5000);
  }
}

// The question that the form answers; empty without one.
const askedBy = (page) => page.querySelector("#sends [name=id]")?.value ?? "";

// What is new is put in place; what somebody writes in stays, and so does what has the focus. A text that was written for
// another question keeps the button of that question, so that it comes too late there and is offered as a draft here.
function showSeat(page, all) {
  const asks = page.getElementById("sheet");
  const meant = writtenFor || askedBy(document);
  const moved = !all && Boolean(at("text")?.value.trim() && meant) && askedBy(page) !== meant;
  if (all) writtenFor = "";
  for (const old of [at("sheet"), ...document.querySelectorAll("[data-part]")]) {
    const fresh = page.getElementById(old.id);
    const same = old.id === "sheet" ? old.dataset.kind === asks.dataset.kind : fresh?.innerHTML === old.innerHTML;
    const busy = old !== document.activeElement && old.contains(document.activeElement);
    if (!fresh || !old.isConnected || (!all && (same || busy)) || (moved && old.id === "sends")) continue;
    old.replaceChildren(...fresh.childNodes);
    Object.assign(old.dataset, fresh.dataset);
  }
  at("answer").hidden = page.getElementById("answer").hidden;
  at("desk").className = page.getElementById("desk").className;
  document.title = page.title;
  at("changed").hidden = at("sheet").dataset.kind === asks.dataset.kind && !moved;
  for (const [place, one] of [...page.querySelectorAll("#said > li")].entries()) {
    const known = at(one.id);
    if (!known) at("said").insertBefore(document.adoptNode(one), at("said").children[place] ?? null);
    else if (known.matches(".unread") && !one.matches(".unread")) {
      known.classList.remove("unread");
      known.querySelector(".badge").remove();
    }
  }
  if (at("said").children.length) at("nothing")?.remove();
  localTimes();
  enhanceForm();
}

// A scale has no value until it is moved; a ranking is a list that is ordered by buttons, by keys or by dragging.
function enhanceForm() {
  for (const range of at("sheet").querySelectorAll("input[type=range][hidden]")) {
    const field = at(range.dataset.for);
    range.hidden = false;
    const show = () => {
      range.classList.toggle("unmoved", !field.value);
      if (field.value) range.value = field.value;
    };
    show();
    for (const kind of ["input", "click"]) range.addEventListener(kind, () => { field.value = range.value; show(); });
    field.addEventListener("input", show);
  }
  for (const set of at("sheet").querySelectorAll("fieldset.ranking:not(.scripted)")) enhanceRanking(set);
}

function enhanceRanking(set) {
  const [ranked, options, status] = [".ranked", ".options", ".status"].map((one) => set.querySelector(one));
  const all = [...options.children];
  const place = (row) => row.querySelector("select");
  const told = (text, row) => text.replace("{place}", [...ranked.children].indexOf(row) + 1).replace("{count}", ranked.children.length).replace("{option}", row.querySelector(".full").textContent);
  const show = () => {
    for (const row of all) {
      const chosen = row.parentElement === ranked;
      place(row).value = chosen ? [...ranked.children].indexOf(row) + 1 : "";
      row.draggable = chosen;
      const [up, down, out, add] = row.querySelectorAll("button");
      up.hidden = down.hidden = out.hidden = !chosen;
      add.hidden = chosen;
      add.textContent = set.dataset.add.replace("{place}", ranked.children.length + 1);
      up.disabled = !row.previousElementSibling;
      down.disabled = !row.nextElementSibling;
    }
    set.querySelector("[data-unranked]").hidden = !options.children.length;
  };
  const change = (row, act, button) => {
    act();
    show();
    const next = button.hidden || button.disabled ? [...row.querySelectorAll("button")].find((one) => !one.hidden && !one.disabled) : button;
    next?.focus();
    status.textContent = row.parentElement === ranked ? told(set.dataset.moved, row) : set.querySelector("[data-unranked]").textContent;
    place(row).dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const row of all) {
    const name = row.querySelector(".full").textContent;
    const acts = [
      ["↑", set.dataset.up, () => row.previousElementSibling.before(row)],
      ["↓", set.dataset.down, () => row.nextElementSibling.after(row)],
      ["✕", set.dataset.remove, () => options.append(row)],
      ["", "", () => ranked.append(row)],
    ];
    const buttons = made("span", "", "moves");
    for (const [sign, label, act] of acts) {
      const button = Object.assign(made("button", sign), { type: "button" });
      if (label) button.setAttribute("aria-label", `${label}: ${name}`);
      button.addEventListener("click", () => change(row, act, button));
      buttons.append(button);
    }
    place(row).hidden = true;
    row.append(buttons);
    row.addEventListener("dragstart", () => row.classList.add("dragged"));
    row.addEventListener("dragend", () => { row.classList.remove("dragged"); change(row, () => {}, buttons.firstChild); });
    row.addEventListener("dragover", (event) => {
      const dragged = ranked.querySelector(".dragged");
      if (!dragged || row.parentElement !== ranked) return;
      event.preventDefault();
      if (dragged !== row) row[event.offsetY > row.offsetHeight / 2 ? "after" : "before"](dragged);
    });
  }
  all.filter((row) => place(row).value).sort((one, two) => place(one).value - place(two).value).forEach((row) => ranked.append(row));
  for (const one of set.querySelectorAll("[data-scripted]")) one.hidden = false;
  set.querySelector(".plain-help").hidden = true;
  set.classList.add("scripted");
  show();
}

async function lookFromSeat() {
  await keepDraft();
  const answer = sending ? null : await fetch(location.pathname).catch(() => null);
  if (answer?.ok && !sending) showSeat(await parsed(answer), false);
}

async function sendFromSeat(event) {
  event.preventDefault();
  const form = event.target;
  const sent = new FormData(form);
  if (event.submitter) sent.set(event.submitter.name, event.submitter.value);
  clearTimeout(keeping);
  at("unsent").hidden = sending = true;
  try {
    const page = await parsed(await fetch(form.action, { method: "POST", body: form === sheet ? sent : new URLSearchParams(sent) }));
    if (!page.getElementById("turn")) throw page;
    written = written && form !== sheet;
    if (form !== sheet) document.activeElement?.blur(); // what was pressed is replaced too; the focus goes to the turn
    showSeat(page, form === sheet);
    at("kept").textContent = sent.get("do") === "keep" ? at("kept").dataset.kept : "";
    (document.querySelector("#sheet :is(input, select, textarea)[aria-invalid], #sheet [aria-invalid] :is(input, select)") ?? at("turn")).focus();
  } catch {
    at("unsent").hidden = false;
  }
  sending = false;
}

// Today a short time is the hour, in this week the day, before that the date.
function shortTime(moment) {
  const days = (new Date().setHours(0, 0, 0, 0) - new Date(moment).setHours(0, 0, 0, 0)) / 86_400_000;
  const style = days < 1 ? { timeStyle: "short" } : days < 7 ? { weekday: "short" } : { day: "numeric", month: "short" };
  return moment.toLocaleString(document.documentElement.lang, style);
}

function localTimes(place = document) {
  for (const one of place.querySelectorAll("time[data-local]")) {
    const [moment, kind] = [new Date(one.dateTime), one.dataset.local];
    const isToday = moment.toDateString() === new Date().toDateString();
    const day = kind === "time" || (kind === "soon" && isToday) ? {} : { month: "short", day: "numeric", ...(kind === "soon" ? {} : { year: "numeric" }) };
    const zone = kind === "zone" ? { timeZoneName: "short" } : {};
    one.textContent = kind === "short" ? shortTime(moment) : moment.toLocaleString(document.documentElement.lang, { ...day, ...zone, hour: "numeric", minute: "2-digit" });
  }
}

localTimes();

let lostAt = "";

function showConnection(lost) {
  if (lost === Boolean(lostAt)) return;
  lostAt = lost ? new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" }) : "";
  const line = at("lost").querySelector("strong");
  if (lost) line.textContent = line.dataset.told.replace("{time}", lostAt);
  at("lost").hidden = !lost;
  at("found").hidden = lost;
  if (!lost) lookFromSeat();
}

async function tryConnection() {
  const answer = await fetch(location.pathname, { method: "HEAD" }).catch(() => null);
  showConnection(!answer);
}

if (body.dataset.seat) {
  body.classList.add("saves");
  enhanceForm();
  at("lost").querySelector("button").addEventListener("click", tryConnection);
  addEventListener("offline", () => showConnection(true));
  addEventListener("online", tryConnection);
  setInterval(() => { if (lostAt) tryConnection(); else if (document.querySelector("#arrival section")) lookFromSeat(); }, 5000);
  addEventListener("submit", sendFromSeat);
  sheet.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) document.querySelector("#sends [value=say]")?.click();
  });
  sheet.addEventListener("input", () => {
    written = true;
    writtenFor ||= askedBy(document) ?? "";
    clearTimeout(keeping);
    keeping = setTimeout(keepDraft, 800);
  });
  addEventListener("pagehide", keepDraft);
  addEventListener("online", keepDraft);
  const source = new EventSource(`${location.pathname}/events?after=${body.dataset.heard}`);
  source.addEventListener("error", tryConnection);
  source.addEventListener("open", () => showConnection(false));
  for (const kind of ["said", "waiting", "arrived"]) {
    source.addEventListener(kind, () => {
      clearTimeout(looking);
      looking = setTimeout(lookFromSeat, 150);
    });
  }
  source.addEventListener("reload", () => location.reload());
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

// An experiment's progress -------------------------------------------------------------------------------------------

if (body.dataset.again) {
  setInterval(async () => {
    const answer = document.hidden ? null : await fetch(location.pathname);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    localTimes(page);
    const [old, fresh] = [document, page].map((one) => one.querySelector("[data-part]"));
    if (fresh && old.innerHTML !== fresh.innerHTML && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(fresh));
  }, Number(body.dataset.again) * 1000);
}

// The form of a new run: what the sliders mean -----------------------------------------------------------------------

const form = at("new");
let asking = 0;

async function tellCost() {
  const filled = new FormData(form);
  filled.delete("material");
  filled.set("do", "cost");
  if (!(filled.get("topic") ?? filled.get("query") ?? "-").trim()) return;
  const page = await parsed(await fetch(form.action, { method: "POST", body: filled }));
  const [fault, cost] = ["fault", "cost"].map((id) => page.getElementById(id));
  at("cost").replaceChildren(...(fault ? [made("p", fault.textContent, "wrong")] : cost.childNodes));
  at("cost").hidden = false;
  at("start").textContent = page.getElementById("start").textContent;
}

form?.addEventListener("input", (event) => {
  const { type, value, dataset, nextElementSibling: output, id } = event.target;
  if (type === "range") output.value = dataset.each?.replace("{count}", value).replace("{each}", Math.floor(value / dataset.seats)) ?? value;
  if (id === "profile") for (const one of form.querySelectorAll("[data-profile]")) one.hidden = one.dataset.profile !== value;
  clearTimeout(asking);
  asking = setTimeout(tellCost, 1200);
});

if (form) at("estimate").hidden = true;
at("fault")?.focus();

if (at("accept")) {
  at("accept").close();
  at("accept").showModal();
}

// A link to a seat ---------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const field = at(button.dataset.copy);
    field.select();
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
    else document.execCommand("copy");
    at("copied").hidden = false;
  });
}
