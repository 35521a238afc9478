"use strict";
// A run as a book: what is to be said of it, the list of cases, and one case at a time. A source gives `columns()`, `view(position)`
// and `search(words)`: the positions of the cases that hold all of them. What is open stands in the address.
(() => {
  const { el, byId } = kgs;
  const MOST_PRINTED = 200;

  kgs.openBook = async function (source, meta) {
    const places = { run: byId("run"), one: byId("case"), paper: byId("paper") };
    let list, columns;
    let open = { key: null, page: null };
    let scrolled = 0;
    const lead = source.lead || Object.keys(meta.metrics)[0];
    const make = source.make || kgs.makeCase;
    const feedback = meta.started ? kgs.makeFeedback(meta.name, meta.started) : null;
    try {
      columns = await source.columns();
      list = kgs.makeList(columns, { metrics: meta.metrics, search: source.search, name: meta.name || "cases", print: printAll, ...source.list });
    } catch (error) {
      kgs.problem(byId("case-list"), error);
      return;
    }
    byId("case-list").replaceChildren(list.element);
    document.querySelectorAll("[data-filter]").forEach((link) => link.addEventListener("click", () => filterBy(JSON.parse(link.dataset.filter))));
    document.querySelectorAll(".run-head nav a").forEach((link) => link.addEventListener("click", goTo));
    for (const name of ["popstate", "kgs:state"]) addEventListener(name, route);
    addEventListener("keydown", keyed);
    addEventListener("beforeprint", unfold);
    addEventListener("afterprint", fold);
    await route();

    function filterBy(filter) {
      const kept = (source.list?.keep || []).flatMap((name) => (kgs.state.get().has(name) ? [[name, kgs.state.get().get(name)]] : []));
      history.pushState(null, "", `#${new URLSearchParams({ ...Object.fromEntries(kept), ...filter })}`);
      dispatchEvent(new Event("kgs:state"));
      byId("cases").scrollIntoView();
      list.element.querySelector(".scroll").focus({ preventScroll: true });
    }

    /** The parts of the page are gone to without the address, which holds the state of the list. */
    function goTo(event) {
      event.preventDefault();
      const place = document.querySelector(event.target.getAttribute("href"));
      document.querySelectorAll(".run-head nav a").forEach((one) => (one === event.target ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current")));
      if (event.target.getAttribute("href") === "#summary") scrollTo(0, 0);
      else place.scrollIntoView();
    }

    async function route() {
      const state = kgs.state.get();
      const key = state.get("case");
      if (key === null) {
        if (open.key !== null) await leave();
        else await list.update();
        return;
      }
      if (key !== open.key) await enter(key);
      const at = state.get("at");
      if (open.page && at !== null) open.page.choose(Number(at));
    }

    async function leave() {
      const from = open.key;
      open = { key: null, page: null };
      document.body.classList.remove("sheet");
      places.run.hidden = false;
      places.one.hidden = true;
      document.title = meta.title;
      await list.update();
      scrollTo(0, scrolled);
      places.run.querySelector(`a[href*="case=${CSS.escape(from)}"]`)?.focus({ preventScroll: true });
    }

    async function enter(key) {
      if (!places.run.hidden) scrolled = scrollY;
      document.body.classList.remove("sheet");
      open = { key, page: null };
      places.run.hidden = true;
      places.one.hidden = false;
      if (!list.order.length) await list.update();
      const body = el("div", {}, el("p", { class: "quiet" }, "Opening …"));
      const head = el("header", { class: "case-head" }, turning(key));
      places.one.replaceChildren(head, body);
      try {
        const view = await source.view(key);
        if (open.key !== key) return;
        const page = make(view, { concept: meta.concept, feedback, chosen: (at) => kgs.state.go({ at }, true) });
        open.page = page;
        head.append(figures(view));
        head.querySelector("h1").textContent = view.id || `case ${Number(key) + 1}`;
        body.replaceChildren(page.element);
        byId("case-title").focus({ preventScroll: true });
        scrollTo(0, 0);
        document.title = `${view.id || `case ${Number(key) + 1}`} – ${meta.title}`;
      } catch (error) {
        kgs.problem(body, error);
      }
    }

    function figures(view) {
      const arrow = (name) => (meta.metrics[name]?.higher_is_better === false ? " ↓" : "");
      const rows = view.scores.filter((one) => one.metric === lead).concat(view.scores.filter((one) => one.metric !== lead));
      return el("dl", { class: "figures" }, rows.map((one) => el("div", { class: "figure" }, el("dt", {}, one.metric + arrow(one.metric)), el("dd", {}, one.shown || kgs.number(one.value)))));
    }

    function turning(key) {
      const keys = list.order.map((at) => String(source.list?.key?.(at) ?? at));
      const at = keys.indexOf(key);
      const to = (step, name, turn, words) => {
        const next = at < 0 ? undefined : keys[at + step];
        return el("a", { class: "button", href: next === undefined ? null : kgs.state.with({ case: next, at: null }), "aria-disabled": next === undefined ? "true" : null, role: next === undefined ? "link" : null, "data-turn": turn, "aria-label": words }, name);
      };
      const words = list.words();
      return el("div", { class: "turning" },
        el("a", { href: kgs.state.with({ case: null, at: null }), "data-turn": "back" }, `‹ ${kgs.plural(keys.length, "case")}${words ? `: ${words}` : ""}`),
        el("h1", { tabindex: "-1", id: "case-title" }, "…"), at < 0 ? "" : el("span", { class: "quiet" }, `${kgs.count(at + 1)} of ${kgs.count(keys.length)}`),
        to(-1, "‹", "previous", "Previous case"), to(1, "›", "next", "Next case"));
    }

    function keyed(event) {
      if (event.key === "Escape" && open.page) {
        if (!open.page.close()) places.one.querySelector("[data-turn=back]").click();
      } else if (event.altKey && open.page && (event.key === "n" || event.key === "p")) {
        event.preventDefault();
        places.one.querySelector(`[data-turn=${event.key === "n" ? "next" : "previous"}][href]`)?.click();
      }
    }

    // ---- paper ----
    async function printAll() {
      const note = byId("view-note");
      if (list.order.length > MOST_PRINTED) {
        note.textContent = `Filter first: at most ${MOST_PRINTED} cases are printed in full.`;
        return;
      }
      note.textContent = "";
      const views = await Promise.all(list.order.map((at) => source.view(String(source.list?.key?.(at) ?? at))));
      places.paper.replaceChildren(...views.map((view) => make(view, { still: true }).element));
      document.body.classList.add("on-paper");
      print();
      document.body.classList.remove("on-paper");
      places.paper.replaceChildren();
    }

    let folded = [];
    function unfold() {
      folded = [...places.one.querySelectorAll("details:not([open])")];
      folded.forEach((one) => (one.open = true));
    }

    function fold() {
      folded.forEach((one) => (one.open = false));
      folded = [];
    }
  };
})();
