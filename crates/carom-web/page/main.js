// The page: one state, the requests about it, and the views of the answers.

import { decode, encode } from "./address.js";
import { copyText, showCode } from "./code.js";
import { el, find, nextFrame, toast } from "./dom.js";
import { applied } from "./drag.js";
import { connect } from "./engine.js";
import { acceptFiles, fromQuery, showDownloads, sizeNote } from "./files.js";
import { showGallery } from "./gallery.js";
import { Guide } from "./guide.js";
import { History } from "./history.js";
import { cellWords, pairWords } from "./hover.js";
import { drawImpulses } from "./impulse.js";
import { Controls } from "./knobs.js";
import { showLaws } from "./laws.js";
import { showLedger } from "./ledger.js";
import { MapPlot } from "./map.js";
import { Picture } from "./picture.js";
import { showNoAnswer, showSentence } from "./sentence.js";
import { Session } from "./session.js";
import { Player } from "./simulate.js";
import { BLANK, mapKey, same, samePhysics, sameSource } from "./state.js";

// Cells along an axis: during a drag, and after it.
const COARSE = 60;
const FINE = 200;
// Milliseconds after the last change until everything is requested in full.
const REST = 120;
const TABS = ["map", "states", "impulse"];
const TOGGLES = { "show-printed": "printed", "show-contours": "contours", "show-set": "set" };
// Changes that need no request; and those that are not a step of the history, either.
const SHOWN = { isPhysics: false };
const QUIET = { isPhysics: false, isStep: false };

const engine = await connect().catch((error) => fail({ message: `The engine does not start: ${error.message}` }));
const gallery = await engine.ask({ request: "gallery" });
find("transport-name").textContent = engine.transport === "wasm" ? "computed in this page" : "computed by carom on this machine";

let session = null;
let state = { ...BLANK };
const past = new History();
const shown = { answer: null, map: null, states: null, laws: null, diagram: null, mapKey: null };
let player = null;
let resting = 0;
let hovered = null;
// A configuration and velocity whose loops are not closed yet.
let loose = null;

const picture = new Picture({ moved, viewed: (view, isFinal) => change({ view }, isFinal, QUIET) });
const controls = new Controls(find("coefficients"), find("joints"), (patch, isFinal) => (patch.configuration || patch.velocity ? move(patch, isFinal) : change(patch, isFinal)), () => ({ ...state, ...loose }));
const plot = new MapPlot(find("plot"), { dragged: toPair, hovered: hover });
const guide = new Guide(async ([normal, mu]) => {
  if (state.source?.gallery !== "kane") await open({ gallery: "kane" });
  change({ ...BLANK, source: state.source, restitution: { normal, tangential: 0 }, friction: { static: mu, dynamic: mu } }, true);
  return ask("answer", "guide");
});

function fail(error) {
  const { kind, message, file, line } = error;
  const place = [file, line ? `line ${line}` : null].filter(Boolean).join(", ");
  find("fault").textContent = `${place ? `${place}: ` : ""}${message}`;
  find("fault").dataset.kind = kind || "";
  find("fault").hidden = false;
}

const info = () => session.info;

// The number of requests without an answer so far.
let pending = 0;

// The page is busy while a request is under way or waits.
function busy(by) {
  pending += by;
  find("main").setAttribute("aria-busy", String(pending > 0 || resting !== 0));
}

// Marks the page as busy during an action. Continuations of the action run before the mark is removed.
async function whileBusy(action) {
  busy(1);
  try {
    return await action();
  } finally {
    setTimeout(busy, 0, -1);
  }
}

// The answer; null if it is stale, since a newer request has replaced it or another source was opened.
async function ask(request, channel, extra) {
  const asked = session;
  try {
    const answer = await whileBusy(() => asked.ask(request, state, channel, extra));
    return asked === session ? answer : null;
  } catch (error) {
    fail({ message: `The engine is gone (${error.message}). ${engine.transport === "wasm" ? "Reload the page." : "Start carom explore again and reload the page."}` });
    return null;
  }
}

// Opens a source; if that fails, the page stays as it is.
async function open(source, wanted = null, isStep = true) {
  find("fault").hidden = true;
  const next = await whileBusy(() => Session.open(engine, source).catch((error) => ({ error: { message: `The engine is gone (${error.message}).` } })));
  if (next.error) {
    fail(next.error);
    return false;
  }
  session = next;
  loose = null;
  closePlayer();
  Object.assign(shown, { answer: null, map: null, states: null, laws: null, diagram: null, mapKey: null });
  state = { ...BLANK, ...wanted, source };
  const { title, name, simulates, why_not: whyNot, assumed, warnings } = info();
  find("title").textContent = [title || name, assumed ? "the scene was assumed around the robot (Download has it)" : null].filter(Boolean).join(" · ");
  if (warnings?.length) find("title").append(el("details", null, el("summary", null, `${warnings.length} ${warnings.length > 1 ? "warnings" : "warning"}`), ...warnings.map((words) => el("p", null, words))));
  document.title = `${name || "problem"} · carom explorer`;
  controls.build(info());
  find("controls-name").textContent = (info().coordinates || []).length ? "Coefficients and state" : "Coefficients";
  find("run-button").disabled = !simulates;
  find("run-words").textContent = simulates ? "" : `Cannot be simulated: ${whyNot || "no scene"}`;
  if (simulates) find("until").value = state.until ?? simulates.until;
  const note = source.files ? sizeNote(source.files) : null;
  if (note) toast(note);
  picture.open(info());
  const answer = await ask("answer", "open");
  // Without an answer the engine is gone, or another source was opened meanwhile.
  if (!answer) return next !== session;
  await showAnswer(answer);
  picture.setView(state.view);
  if (isStep) past.push(state);
  settle();
  refresh(false);
  if (state.until !== null) await simulate(state.until, state.time, false);
  else if (!wanted && simulates && (source.simulation || info().kind === "run")) {
    await simulate(simulates.until, null, false);
    find("simulate").scrollIntoView({ block: "start" });
  }
  return true;
}

// Changes the state. During a drag only the cheap requests are sent, and the history waits.
function change(patch, isFinal, { isPhysics = true, isStep = true } = {}) {
  const next = { ...state, ...patch };
  if (patch.configuration && next.strike === null) next.strike = striking();
  if (next.until !== null && next.until === state.until && !samePhysics(next, state)) {
    // The run began in another state than the one now shown.
    Object.assign(next, { until: null, time: null });
    closePlayer();
    find("run-words").textContent = "The state has changed: simulate again.";
  }
  const isNew = !same(next, state);
  if (isNew) state = next;
  if (isPhysics && isNew) {
    find("fault").hidden = true;
    controls.set(state);
    refresh(!isFinal);
  }
  if (!isFinal) return;
  if (!isStep) past.replace(state);
  else if (!same(past.now, state)) past.push(state);
  settle();
  if (isPhysics && !isNew) refresh(false);
}

// A robot that is moved off the surface still strikes with the contacts that touched; null if the document decides.
function striking() {
  const all = info().contacts || [];
  const names = (shown.answer?.contacts || all.filter(({ strikes }) => strikes)).map(({ name }) => name);
  return all.length > 1 && names.length ? names : null;
}

// Updates the address and the buttons.
function settle() {
  const address = encode(state);
  if (location.hash !== address) window.history.replaceState(null, "", location.pathname + location.search + address);
  find("undo").disabled = !past.past.length;
  find("redo").disabled = !past.future.length;
  controls.set(state);
  for (const [id, name] of Object.entries(TOGGLES)) find(id).checked = state[name];
  for (const tab of TABS) {
    const button = find(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === state.tab));
    button.tabIndex = tab === state.tab ? 0 : -1;
  }
  find("plot").setAttribute("aria-labelledby", `tab-${state.tab}`);
  find("toggles").disabled = state.tab === "impulse";
  find("toggles").classList.toggle("unused", state.tab === "impulse");
}

// Restores a state of the history or of the address.
async function go(next) {
  if (!sameSource(next.source, state.source)) {
    const now = past.now;
    await open(next.source, next, false);
    past.now = now;
  } else {
    const isOtherRun = next.until !== state.until || !samePhysics(next, state);
    state = next;
    picture.setView(state.view);
    if (isOtherRun || state.until === null) closePlayer();
    refresh(false);
    settle();
    if (state.until !== null && isOtherRun) await simulate(state.until, state.time, false);
    else if (player && state.time !== null) player.show(state.time);
  }
  showTable();
  showPicture();
  settle();
}

function refresh(isMoving) {
  clearTimeout(resting);
  resting = isMoving ? setTimeout(rest, REST) : 0;
  askAnswer();
  askTab(isMoving);
  if (!isMoving) askLaws();
}

// Sends the expensive requests, once nothing moves. The answer has been requested already.
function rest() {
  resting = 0;
  showCode(find("code"), shown.answer || {});
  askTab(false);
  askLaws();
}

async function askAnswer() {
  const asked = state;
  const answer = await ask("answer", "answer");
  if (answer) await showAnswer(answer, asked);
}

async function showAnswer(answer, asked = state) {
  shown.answer = answer.error ? null : answer;
  if (answer.error) showNoAnswer(answer.error, info());
  else showSentence(answer, state.printed);
  showLedger(find("bars"), answer.ledger);
  // Long texts wait until nothing moves.
  if (!resting) showCode(find("code"), answer);
  showPicture();
  if (state.tab === "map" && shown.map && !shown.map.error) plot.point(pair(asked), answer.verdict || "no answer");
  if (!answer.error || !info().bodies) return;
  // Without an answer the robot can still be drawn in its state.
  const robot = await ask("open", "robot");
  if (robot && !robot.error && !shown.answer) picture.pose(robot.arrays.poses);
}

function showPicture() {
  if (!shown.answer) {
    picture.show({}, []);
    return;
  }
  const law = state.picked && shown.laws?.laws?.find((one) => one.law === state.picked);
  find("picture-name").textContent = law ? `The mechanism, answer of ${law.law.replaceAll("_", " ")}` : "The mechanism";
  picture.show(shown.answer, law?.contacts);
}

const pair = ({ restitution, friction }) => [(restitution || info().restitution || { normal: 0 }).normal, (friction || info().friction || { static: 0 }).static];

async function askTab(isMoving) {
  const { tab } = state;
  const resolution = isMoving ? COARSE : FINE;
  const extra = { resolution, contours: state.contours };
  if (tab === "map") {
    const key = mapKey(state, info());
    const isKnown = shown.mapKey === key && shown.map && shown.map.resolution >= resolution && pair(state)[1] <= shown.map.axes[1].max;
    if (isKnown) {
      plot.point(pair(state), shown.answer?.verdict ?? "");
      return;
    }
    const map = await ask("map", "map", extra);
    if (!map) return;
    Object.assign(shown, { map, mapKey: key });
  } else if (tab === "states") {
    const map = await ask("states", "states", extra);
    if (!map) return;
    shown.states = map;
  } else {
    const diagram = await ask("diagram", "diagram");
    if (!diagram) return;
    shown.diagram = diagram;
  }
  if (tab === state.tab) nextFrame(drawTab);
}

function drawTab() {
  const { tab } = state;
  if (tab === "impulse") {
    if (shown.diagram) drawImpulses(find("plot"), shown.diagram);
    if (shown.diagram?.error) chooseContact();
    return;
  }
  const map = shown[tab];
  if (!map) return;
  if (map.error) {
    drawImpulses(find("plot"), map);
    chooseContact();
    return;
  }
  const isMap = tab === "map";
  plot.draw(isMap ? { ...map, point: { ...map.point, at: pair(state) } } : map, state, isMap);
}

// Several contacts that strike have no common map, but one for each of them.
function chooseContact() {
  const names = (shown.answer?.contacts || info().contacts || []).map(({ name }) => name).slice(0, 12);
  if (names.length < 2) return;
  find("plot").append(el("div", { class: "bar" }, ...names.map((name) => el("button", { type: "button", onclick: () => change({ strike: [name] }, true) }, `Only ${name}`))));
}

async function askLaws() {
  const laws = await ask("laws", "laws");
  if (!laws) return;
  shown.laws = laws;
  showTable();
  showPicture();
}

function showTable() {
  if (!shown.laws) return;
  const focused = document.activeElement?.dataset?.law;
  showLaws(find("law-table"), shown.laws, state.picked, (picked) => {
    change({ picked }, true, SHOWN);
    showTable();
    showPicture();
  });
  if (focused) find("law-table").querySelector(`[data-law="${focused}"]`)?.focus({ preventScroll: true });
}

// The coefficients of a pair. The ratio of the frictions is kept.
function coefficients([normal, mu]) {
  const { static: s, dynamic: d } = state.friction || info().friction || { static: 1, dynamic: 1 };
  const { tangential } = state.restitution || info().restitution || { tangential: 0 };
  const dynamic = s > 0 ? Math.min(mu, Number(((d / s) * mu).toPrecision(15))) : mu;
  return { restitution: { normal, tangential }, friction: { static: mu, dynamic } };
}

function toPair(at, isFinal) {
  change(coefficients(at), isFinal);
}

async function hover(at) {
  const line = find("hover");
  if (!at || state.tab === "impulse") {
    hovered = null;
    line.textContent = "";
    return;
  }
  if (state.tab === "states") {
    if (shown.states && !shown.states.error) {
      const { min, max } = shown.states.axes[1];
      line.classList.toggle("low", at[1] > 0.5 * (min + max));
      line.textContent = cellWords(at, shown.states);
    }
    return;
  }
  hovered = at;
  line.classList.toggle("low", at[1] > 0.5 * shown.map?.axes?.[1].max);
  const answer = await ask("answer", "hover", coefficients(at));
  if (answer && !answer.error && hovered) line.textContent = pairWords(at, answer);
}

// A drag of a body: its joints or its velocities move.
function moved(changes, isFinal, rate) {
  const isVelocity = document.querySelector('input[name="drag"]:checked').value === "velocity";
  const name = isVelocity ? "velocity" : "configuration";
  const now = { ...info(), ...moving() };
  const list = changes(now.configuration, isVelocity);
  move(list.length ? { [name]: applied(now[name], list, isVelocity ? rate : 1) } : {}, isFinal);
}

// Configuration and velocity, unless they are those of the document.
function moving() {
  const { configuration, velocity } = state;
  return loose || { ...(configuration && { configuration }), ...(velocity && { velocity }) };
}

// Changes configuration or velocity. For a robot with loops the other joints follow, so that the loops stay closed.
async function move(patch, isFinal) {
  if (!info().loops?.length) return change(patch, isFinal);
  const now = { configuration: info().configuration, velocity: info().velocity, ...moving() };
  const { held = [], held_rates: rates = [] } = now;
  const next = { ...now, ...patch };
  const range = ([first, count]) => Array.from({ length: count }, (_, k) => first + k);
  const moved = info().joints.filter(({ q }) => range(q).some((k) => next.configuration[k] !== now.configuration[k])).flatMap(({ v }) => range(v));
  const turned = next.velocity.flatMap((x, k) => (x === now.velocity[k] ? [] : [k]));
  const asked = (loose = { ...next, held: [...new Set([...held, ...moved])], held_rates: [...new Set([...rates, ...turned])] });
  const closed = await ask("close", "close", { ...asked, from: state.configuration || info().configuration });
  // A newer request has replaced this one.
  if (!closed) return undefined;
  if (loose === asked) loose = null;
  if (closed.error) {
    toast(closed.error.message);
    controls.set(state);
    return change({}, isFinal);
  }
  return change({ configuration: closed.configuration, velocity: closed.velocity }, isFinal);
}

function closePlayer() {
  player?.close();
  player = null;
}

// Simulates from the state shown; time: the time to show, null for the beginning.
async function simulate(until, time, isStep = true) {
  if (!(until > 0)) {
    find("run-words").textContent = "The duration must be a positive number of seconds.";
    return;
  }
  find("run-button").disabled = true;
  find("run-words").textContent = "Simulating…";
  const asked = state;
  const answer = await ask("simulate", "simulate", { until });
  find("run-button").disabled = !info().simulates;
  if (!answer) return;
  if (answer.error) {
    find("run-words").textContent = answer.error.message;
    return;
  }
  if (asked.source !== state.source || !samePhysics(asked, state)) {
    find("run-words").textContent = "";
    return;
  }
  closePlayer();
  const ending = answer.ending === "complete" ? null : `ended early: ${String(answer.ending).replaceAll("_", " ")}`;
  find("run-words").textContent = [`${answer.events.length} events`, ending, answer.failure, answer.repeated?.words].filter(Boolean).join(" · ");
  player = new Player(find("run-box"), answer, { mapped: mapEvent, timed: (t) => change({ time: t }, true, QUIET) });
  find("until").value = until;
  if (time !== null) player.show(time);
  change({ until, time: player.t }, true, isStep ? SHOWN : QUIET);
}

// Explores the state of an impact of the run.
async function mapEvent(event) {
  const answer = await ask("event", "event", { until: state.until, event });
  if (!answer) return;
  if (answer.error) {
    fail(answer.error);
    return;
  }
  const { configuration, velocity, strike, guard } = answer;
  // The run is closed: a simulation from here is another one.
  closePlayer();
  change({ configuration, velocity, strike, guard: guard ?? state.guard, until: null, time: null, tab: "map" }, true);
  find("verdict").scrollIntoView({ block: "start" });
  toast(`Event ${event} at ${Number(answer.time.toPrecision(6))} s: its state is now the one explored. Undo returns to the run.`);
}

function chooseTab(tab) {
  change({ tab }, true, SHOWN);
  find("hover").textContent = "";
  drawTab();
  askTab(false);
}

function wire() {
  acceptFiles((reading) => whileBusy(async () => {
    const files = await reading.catch((error) => fail({ message: `The files cannot be read (${error.message}).` }));
    if (files?.length) await open({ files });
  }));
  find("gallery-button").addEventListener("click", () => showGallery(gallery, (source) => open(source)));
  find("save-button").addEventListener("click", () => showDownloads((what) => ask("save", "save", { what, ...(what.startsWith("run") ? { until: state.until } : {}) }), state.until !== null));
  find("link-button").addEventListener("click", () => {
    const note = state.source.files && sizeNote(state.source.files);
    if (note) toast(note);
    else copyText(location.href);
  });
  const undo = () => { const next = past.undo(); if (next) go(next); };
  const redo = () => { const next = past.redo(); if (next) go(next); };
  find("undo").addEventListener("click", undo);
  find("redo").addEventListener("click", redo);
  find("run-button").addEventListener("click", () => simulate(find("until").valueAsNumber, null));
  for (const tab of TABS) {
    find(`tab-${tab}`).addEventListener("click", () => chooseTab(tab));
    find(`tab-${tab}`).addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
      find(`tab-${next}`).focus();
      chooseTab(next);
    });
  }
  for (const [id, name] of Object.entries(TOGGLES)) {
    find(id).addEventListener("change", (event) => {
      change({ [name]: event.target.checked }, true, SHOWN);
      if (name === "contours") askTab(false);
      else drawTab();
      if (shown.answer) showSentence(shown.answer, state.printed);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || /^(text|number)$/.test(event.target.type)) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  });
  addEventListener("hashchange", () => {
    try {
      const next = decode(location.hash);
      if (next && !same(next, state)) {
        past.push(next);
        go(next);
      }
    } catch (error) {
      fail(error);
    }
  });
  new ResizeObserver(() => { if (session) drawTab(); }).observe(find("plot"));
}

async function begin() {
  let wanted = null;
  try {
    wanted = decode(location.hash);
    const named = wanted?.source ? null : await fromQuery(location.search, gallery);
    if (named) wanted = { ...BLANK, ...wanted, source: named };
  } catch (error) {
    fail(error);
  }
  wire();
  const complaint = find("fault").hidden ? null : find("fault").textContent;
  const first = wanted?.source || (await engine.ask({ request: "start" })).source;
  if (!(await open(first, wanted)) && !sameSource(first, { gallery: "kane" })) {
    const words = find("fault").textContent;
    await open({ gallery: "kane" });
    fail({ message: words });
  }
  if (complaint) fail({ message: complaint });
  document.body.dataset.ready = "true";
}

await begin();
