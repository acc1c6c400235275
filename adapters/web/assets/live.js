"use strict";
// Keeps a page up to date by a stream of server-sent events, searches while a user types, and zooms
// pictures. All text comes from pages of the server, which escape it. Without this script each page works.
(() => {
  const main = document.getElementById("main");
  const stamp = document.getElementById("stamp");
  const updated = document.getElementById("updated");
  const every = 1000 * Number(main.dataset.every || 0);
  let source = null, last = Date.now(), busy = false, timer = 0;

  // Takes the differences of a new element over, so that focus, scroll and open details stay.
  const local = (n) => n.nodeType === 1 && n.hasAttribute("data-local");
  const morph = (old, next) => {
    if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName || old.id !== next.id) {
      old.replaceWith(document.importNode(next, true));
      return;
    }
    if (old.nodeType !== 1) {
      if (old.data !== next.data) old.data = next.data;
      return;
    }
    const kept = (name) => name === "open" || (old.hasAttribute("data-zoomed") && (name === "viewBox" || name === "data-zoomed"));
    for (const { name } of [...old.attributes]) if (!kept(name) && !next.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of [...next.attributes]) if (!kept(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
    const was = [...old.childNodes].filter((n) => !local(n)), now = [...next.childNodes];
    now.forEach((n, i) => (was[i] ? morph(was[i], n) : old.append(document.importNode(n, true))));
    was.slice(now.length).forEach((n) => n.remove());
  };
  // The focus stays on its object, also if another row has taken the place.
  const keepingFocus = (change) => {
    const link = main.contains(document.activeElement) ? document.activeElement.href : "";
    change();
    if (!link || (document.activeElement && document.activeElement.href === link)) return;
    for (const a of main.querySelectorAll("a")) if (a.href === link) return a.focus();
  };
  const load = async (address) => {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };
  const say = (text) => { stamp.firstChild.data = text + " "; };
  const mark = () => {
    const now = new Date();
    updated.dateTime = now.toISOString();
    updated.textContent = now.toTimeString().slice(0, 8);
  };
  const refresh = async () => {
    timer = 0;
    if (busy || document.hidden) return;
    busy = true;
    const address = location.href;
    try {
      const next = (await load(address)).getElementById("main");
      if (next && address === location.href) {
        keepingFocus(() => morph(main, next));
        prepare();
        mark();
        say("Updated");
      }
    } catch {
      say("No newer state can be loaded. Last update");
    }
    busy = false;
    last = Date.now();
  };
  const changed = () => {
    if (!timer) timer = setTimeout(refresh, Math.max(0, last + every - Date.now()));
  };
  // A browser has few connections, so a page that is not seen has none.
  const listen = () => {
    if (!every || typeof EventSource === "undefined") return;
    if (document.hidden) {
      if (source) source.close();
      source = null;
      return;
    }
    if (source) return;
    source = new EventSource("events");
    source.addEventListener("open", () => { main.dataset.live = "on"; });
    source.addEventListener("changed", changed);
    source.addEventListener("error", () => {
      if (source && source.readyState === EventSource.CLOSED) {
        main.dataset.live = "off";
        say("The server sends no updates. Last update");
      }
    });
  };
  document.addEventListener("visibilitychange", listen);

  // Searches while a user types.
  const form = document.querySelector("form.search");
  if (form) {
    let wait = 0, turn = 0;
    form.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(async () => {
        const mine = ++turn, fields = new URLSearchParams();
        for (const [name, value] of new FormData(form)) if (value) fields.set(name, value);
        const address = "search?" + fields;
        try {
          const next = (await load(address)).getElementById("results");
          if (!next || mine !== turn) return;
          morph(document.getElementById("results"), next);
          history.replaceState(null, "", address);
          mark();
        } catch { /* the button of the form tells the error */ }
      }, 150);
    });
  }

  // Zooms and moves a picture by its viewBox.
  const button = (text, label, act) => {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    b.setAttribute("aria-label", label);
    b.addEventListener("click", act);
    return b;
  };
  const zoomable = (svg) => {
    const whole = svg.getAttribute("viewBox"), first = whole.split(" ").map(Number);
    let box = [...first];
    const set = () => {
      svg.setAttribute("viewBox", box.join(" "));
      svg.setAttribute("data-zoomed", "");
    };
    const reset = () => {
      box = [...first];
      svg.setAttribute("viewBox", whole);
      svg.removeAttribute("data-zoomed");
    };
    const zoom = (by, x, y) => {
      const w = Math.min(first[2] * 2, Math.max(first[2] / 16, box[2] * by)), h = (w * first[3]) / first[2];
      box = [box[0] + (box[2] - w) * x, box[1] + (box[3] - h) * y, w, h];
      set();
    };
    const at = (e) => {
      const r = svg.getBoundingClientRect();
      return [(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height];
    };
    svg.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // the wheel alone scrolls the page
      e.preventDefault();
      zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, ...at(e));
    }, { passive: false });
    let from = null, moved = false;
    svg.addEventListener("pointerdown", (e) => { from = e.button === 0 ? [e.clientX, e.clientY, ...box] : null; moved = false; });
    svg.addEventListener("pointermove", (e) => {
      if (!from || e.buttons !== 1 || e.pointerType === "touch") return;
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      if (!moved && Math.abs(dx) + Math.abs(dy) < 6) return;
      moved = true;
      const scale = box[2] / svg.getBoundingClientRect().width;
      box = [from[2] - dx * scale, from[3] - dy * scale, box[2], box[3]];
      set();
    });
    svg.addEventListener("dragstart", (e) => e.preventDefault()); // a link would be dragged
    svg.addEventListener("click", (e) => { if (moved) e.preventDefault(); }, true);
    const bar = document.createElement("div");
    bar.className = "zoom";
    bar.setAttribute("data-local", "");
    bar.append(button("+", "Zoom in", () => zoom(1 / 1.4, 0.5, 0.5)), button("\u2212", "Zoom out", () => zoom(1.4, 0.5, 0.5)), button("Fit", "Fit the whole picture", reset));
    svg.parentElement.prepend(bar);
  };
  const prepare = () => {
    for (const svg of document.querySelectorAll("[data-graph] > svg")) {
      if (svg.parentElement.querySelector(".zoom")) continue;
      zoomable(svg);
    }
  };
  prepare();
  listen();
})();
