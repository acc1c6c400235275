"use strict";
// Continues the page of a deletion by its stream of server-sent events. Text enters the page as
// text alone, so no name of an object can become a part of the page.
(() => {
  const root = document.getElementById("cascade");
  const state = document.getElementById("state");
  const live = document.getElementById("live");
  const words = {
    waiting: "The object is not being deleted. This page waits for its deletion.",
    running: "The deletion is running.",
    done: "The deletion is done.",
    ended: "The deletion is done. It ended after the last figures of this page.",
  };
  let source = null;

  const element = (name, text, kind) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    return e;
  };
  const linked = (link, text) => {
    if (!link) return element("bdi", text);
    const a = element("a");
    a.href = link;
    a.append(element("bdi", text));
    return a;
  };
  // The direction of writing and the lines of the page are safe from any text.
  const clean = (text) => String(text).replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"))
    .replace(/^(.{380})[^]{140,}(.{120})$/u, "$1…$2");
  const number = (n) => (Number.isInteger(n) ? n.toLocaleString("en") : n.toFixed(n < 10 ? 2 : 1));
  const age = (then) => {
    const s = Math.max(0, Math.floor((Date.now() - Date.parse(then)) / 1000));
    if (s < 60) return s + " s";
    if (s < 3600) return Math.floor(s / 60) + " min";
    if (s < 86400) return Math.floor(s / 3600) + " h " + Math.floor((s / 60) % 60) + " min";
    return Math.floor(s / 86400) + " d " + Math.floor((s / 3600) % 24) + " h";
  };

  const cell = (text, kind) => {
    const td = element("td", text, kind);
    td.setAttribute("role", "cell"); // the narrow layout would take it away
    return td;
  };
  const line = (...cells) => {
    const tr = element("tr");
    tr.setAttribute("role", "row");
    tr.append(...cells);
    return tr;
  };

  const row = (h) => {
    const object = cell();
    object.append(linked(h.key.link, clean(h.key.name)), element("span", clean(h.key.kind) + (h.key.scope ? " in " + clean(h.key.scope) : ""), "place"));
    const status = cell();
    const mark = element("span", undefined, "status " + h.status);
    const shape = element("span", undefined, "shape");
    shape.setAttribute("aria-hidden", "true");
    mark.append(shape, h.status);
    status.append(mark);
    const reason = cell();
    reason.append(linked("reasons#" + h.reason, clean(h.words)));
    for (const d of h.detail || []) reason.append(element("span", clean(d), "cause"));
    if (h.lastError) reason.append(element("span", "last error: " + clean(h.lastError), "cause error"));
    return line(object, status, reason, cell(age(h.since), "number"));
  };

  const rows = (list) => {
    const body = document.getElementById("rows");
    const focused = body.contains(document.activeElement) ? document.activeElement.href : "";
    body.replaceChildren(...list.map(row));
    if (list.length === 0) {
      const none = cell("none");
      none.colSpan = 4;
      body.append(line(none));
    }
    for (const a of body.querySelectorAll("a")) if (focused && a.href === focused) a.focus();
  };

  const show = (p) => {
    if (p.uncounted) { // the deletion ended while no stream counted it
      state.textContent = words.ended;
      return;
    }
    for (const e of root.querySelectorAll("[data-field]")) e.textContent = number(p[e.dataset.field]);
    for (const e of root.querySelectorAll("[data-orphan]")) e.hidden = !p.references;
    const bar = document.getElementById("bar");
    bar.max = Math.max(p.known, 1);
    bar.value = p.gone;
    rows(p.by);
    if (state.textContent !== words[p.state]) state.textContent = words[p.state];
  };

  const button = element("button", "Stop the updates");
  button.type = "button";
  const stop = (text) => {
    if (source) source.close();
    source = null;
    button.textContent = "Continue the updates";
    root.dataset.live = "off";
    live.firstChild.textContent = text;
  };
  const start = () => {
    source = new EventSource(root.dataset.events);
    button.textContent = "Stop the updates";
    source.addEventListener("progress", (e) => {
      show(JSON.parse(e.data));
      root.dataset.live = "on";
      live.firstChild.textContent = "The figures are live. ";
    });
    source.addEventListener("done", (e) => {
      show(JSON.parse(e.data));
      stop(state.textContent === words.ended ? "The updates have ended. " : "The figures are final. ");
      button.remove();
    });
    source.addEventListener("failed", (e) => stop("The updates have ended: " + clean(JSON.parse(e.data).error) + ". "));
    source.addEventListener("error", () => {
      if (source && source.readyState === EventSource.CLOSED) stop("The server sends no updates. Reload the page later. ");
    });
  };
  button.addEventListener("click", () => (source ? stop("The figures are as of the stop. ") : start()));
  live.append(element("span", "Waiting for the stream. "), button);
  start();
})();
