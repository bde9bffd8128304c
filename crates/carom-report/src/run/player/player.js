// The page: time, buttons, keys, the list of events.

(() => {
  const find = (id) => document.getElementById(id);
  const run = new Run(find("run").textContent);
  const WORDS = { impact: "impact", settle: "settles", lift_off: "lifts off", stick: "sticks", slip: "slips", jam: "jams", ambiguous: "ambiguous, lifts off", window: "window of time stepping", rattle: "rattles, impact without restitution", sequence: "impacts ended without restitution", projection: "put back onto its surface" };
  const MOST_LISTED = 2000;
  const SCRUB = 10000;
  const COLOURS = ["paper", "soft", "stage", "body", "edge", "ground", "ground-line", "grid", "stick", "slip", "flight", "force", "flash", "path", "accent", "kinetic", "potential", "total", "friction", "impacts", "damping", "motors"];

  const state = { t: run.start, isPlaying: false, isDirty: true, last: 0 };
  const camera = new Camera(run);
  const space = run.plane ? null : Space.on(find("space"), run);
  const overlay = new Overlay(find("overlay"), run);
  const chart = new Chart(find("chart"), find("keys"), run, (t) => go(t));
  let colours;
  const dirty = () => { state.isDirty = true; };

  const seconds = (t, digits = 4) => `${t.toFixed(digits)} s`;
  const short = (x) => String(Number(x.toPrecision(4))).replace("-", "−");

  function head() {
    find("title").textContent = run.title;
    const parts = [run.model, `${short(run.reached)} s`, `${run.events.length} event${run.events.length === 1 ? "" : "s"}`];
    if (run.at_rest !== null) parts.push(`at rest since ${run.at_rest.toPrecision(8)} s`);
    find("subtitle").textContent = parts.join(" · ");
    if (run.ending !== "complete") {
      const mark = document.createElement("strong");
      mark.textContent = ` · incomplete: ${run.ending} at ${short(run.reached)} s of ${short(run.until)} s`;
      find("subtitle").append(mark);
    }
    if (!run.contacts.length) find("legend").hidden = true;
  }

  function list() {
    find("count").textContent = run.events.length;
    const box = find("events");
    run.events.slice(0, MOST_LISTED).forEach((event, i) => {
      const button = document.createElement("button");
      button.type = "button";
      const put = (name, text) => {
        const part = button.appendChild(document.createElement("span"));
        part.className = name;
        part.textContent = text;
      };
      const name = event.contact === null ? "" : `${run.contacts[event.contact]} `;
      put("what", name + (WORDS[event.kind] || event.kind) + (event.impact ? `, ${event.impact}` : ""));
      put("when", seconds(event.time, 5));
      const more = [];
      if (event.impulse > 0) more.push(`${short(event.impulse)} N s`);
      if (event.energy !== 0) more.push(`${short(event.energy)} J`);
      if (event.mode && event.kind === "impact") more.push(`then ${event.mode}`);
      put("more", more.join(" · "));
      button.addEventListener("click", () => { pause(); go(event.time); });
      const item = box.appendChild(document.createElement("li"));
      item.append(button);
      event.button = button;
      event.place = i;
    });
    if (run.events.length > MOST_LISTED || !run.events.length) {
      const rest = box.appendChild(document.createElement("li"));
      rest.className = "rest";
      rest.textContent = run.events.length ? `and ${run.events.length - MOST_LISTED} more` : "none";
    }
  }

  // The event at the cursor, or the last before it, is marked in the list.
  let current = null;
  function mark() {
    let found = null;
    for (const event of run.events) {
      if (event.time > state.t + 1e-12) break;
      if (event.button) found = found && found.time === event.time ? found : event;
    }
    if (found === current) return;
    if (current) current.button.removeAttribute("aria-current");
    current = found;
    if (!found) return;
    found.button.setAttribute("aria-current", "true");
    const [box, item] = [find("events"), found.button];
    const top = item.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }

  function go(t) {
    state.t = clamp(t, run.start, run.end);
    dirty();
  }

  function pause() { setPlaying(false); }

  function setPlaying(isPlaying) {
    if (isPlaying && state.t >= run.end) state.t = run.start;
    state.isPlaying = isPlaying;
    state.last = 0;
    find("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    find("play-mark").setAttribute("d", isPlaying ? "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" : "M4 2.5v11l9-5.5z");
    dirty();
  }

  function hop(direction) {
    pause();
    const { instants } = run;
    const found = direction > 0 ? instants.find((t) => t > state.t + 1e-12) : instants.filter((t) => t < state.t - 1e-12).pop();
    go(found ?? (direction > 0 ? run.end : run.start));
  }

  const speed = () => Number(find("speed").value);

  // How much slower time runs this close to an event.
  function slowness() {
    if (!find("slow").checked) return 1;
    const near = run.instants.reduce((least, t) => Math.min(least, Math.abs(t - state.t)), Infinity);
    return clamp(near / (0.25 * speed()), 0.1, 1);
  }

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    colours = { css: {}, isDark: matchMedia("(prefers-color-scheme: dark)").matches };
    for (const name of COLOURS) {
      const text = style.getPropertyValue(`--${name}`).trim();
      colours.css[name] = text;
      colours[name] = [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
    }
  }

  function resize() {
    const box = find("stage");
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    camera.size = [box.clientWidth, box.clientHeight];
    for (const id of ["space", "overlay"]) {
      find(id).width = Math.round(box.clientWidth * ratio);
      find(id).height = Math.round(box.clientHeight * ratio);
    }
    camera.update();
    readColours();
    chart.prepare(colours);
    dirty();
  }

  function frame(now) {
    requestAnimationFrame(frame);
    if (state.isPlaying) {
      const passed = state.last ? Math.min((now - state.last) / 1000, 0.1) : 0;
      state.last = now;
      go(state.t + passed * speed() * slowness());
      if (state.t >= run.end) pause();
    }
    if (!state.isDirty) return;
    state.isDirty = false;
    const at = run.at(state.t);
    if (camera.isFollowing) {
      camera.target = run.middle(at);
      camera.update();
    }
    if (space) space.draw(camera, at, colours);
    overlay.draw(camera, at, state.t, 0.35 * speed(), colours, { forces: isPressed("forces"), isPlain: !space });
    chart.draw(state.t);
    find("clock").textContent = seconds(state.t);
    const scrub = find("scrub");
    scrub.value = Math.round((SCRUB * (state.t - run.start)) / (run.end - run.start || 1));
    scrub.setAttribute("aria-valuetext", seconds(state.t));
    mark();
  }

  const isPressed = (id) => find(id).getAttribute("aria-pressed") === "true";
  const press = (id, is) => find(id).setAttribute("aria-pressed", String(is));

  function follow(is) {
    press("follow", is);
    camera.isFollowing = is;
    camera.target = run.middle(run.at(state.t));
    camera.update();
    dirty();
  }

  function wire() {
    find("play").addEventListener("click", () => setPlaying(!state.isPlaying));
    find("before").addEventListener("click", () => hop(-1));
    find("next").addEventListener("click", () => hop(1));
    find("scrub").addEventListener("input", (event) => { pause(); go(run.start + (event.target.value / SCRUB) * (run.end - run.start)); });
    find("closer").addEventListener("click", () => { camera.zoomBy(1.3); dirty(); });
    find("farther").addEventListener("click", () => { camera.zoomBy(1 / 1.3); dirty(); });
    find("fit").addEventListener("click", () => { follow(false); camera.fit(); dirty(); });
    find("follow").addEventListener("click", () => follow(!isPressed("follow")));
    find("forces").addEventListener("click", () => { press("forces", !isPressed("forces")); dirty(); });
    camera.attach(find("overlay"), dirty);
    document.addEventListener("keydown", keys);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
    new ResizeObserver(resize).observe(find("stage"));
    new ResizeObserver(resize).observe(find("chart"));
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onto = event.target.tagName;
    if (onto === "SELECT" || (onto === "BUTTON" && (event.key === " " || event.key === "Enter"))) return;
    const step = 0.02 * speed();
    const actions = {
      " ": () => setPlaying(!state.isPlaying),
      ArrowLeft: () => { if (event.shiftKey) hop(-1); else { pause(); go(state.t - step); } },
      ArrowRight: () => { if (event.shiftKey) hop(1); else { pause(); go(state.t + step); } },
      Home: () => go(run.start),
      End: () => go(run.end),
      "+": () => camera.zoomBy(1.3),
      "-": () => camera.zoomBy(1 / 1.3),
      0: () => { follow(false); camera.fit(); },
      f: () => follow(!isPressed("follow")),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    dirty();
  }

  head();
  list();
  wire();
  resize();
  // A robot that goes far is lost in a picture of the whole way.
  if (Math.max(...sub(run.high, run.low)) > 6 * run.size) follow(true);
  requestAnimationFrame(frame);
})();
