"use strict";
// A run as a book: its summary, the list of cases, and one case at a time. A source gives `columns()`, `view(position)` and
// `search(words)`: the positions of the cases that hold all of them.
(() => {
  const { el, byId } = kgs;
  const MOST_PRINTED = 200;

  kgs.openBook = async function (source, meta) {
    const places = { summary: byId("summary"), list: byId("cases"), one: byId("case"), paper: byId("paper") };
    let list;
    let current = null;
    try {
      list = kgs.makeList(await source.columns(), { metrics: meta.metrics, link: (at) => `#case=${at}`, search: source.search });
    } catch (error) {
      kgs.problem(byId("case-list"), error);
      return;
    }
    byId("case-list").replaceChildren(list.element, printing());
    document.querySelectorAll("[data-filter]").forEach((link) => link.addEventListener("click", () => filterBy(link)));
    addEventListener("hashchange", route);
    addEventListener("keydown", keyed);
    addEventListener("beforeprint", unfold);
    addEventListener("afterprint", fold);
    route();

    function filterBy(link) {
      list.show(JSON.parse(link.dataset.filter));
      byId("cases").scrollIntoView({ behavior: "smooth" });
      list.status.setAttribute("tabindex", "-1");
      list.status.focus({ preventScroll: true });
    }

    async function route() {
      const at = /^#case=(\d+)$/.exec(location.hash);
      if (!at) {
        const from = places.list.hidden;
        show(false);
        if (from && current !== null) places.list.querySelector(`a[href="#case=${current}"]`)?.focus();
        current = null;
        return;
      }
      current = Number(at[1]);
      show(true);
      const body = el("div", { class: "case-body" }, el("p", { class: "quiet" }, "Opening …"));
      places.one.replaceChildren(turning(), body);
      try {
        const wanted = current;
        const view = await source.view(wanted);
        if (wanted !== current) return;
        kgs.open = kgs.makeCase(view, { concept: meta.concept });
        body.replaceChildren(kgs.open.element);
        byId("case-title").focus({ preventScroll: true });
        scrollTo(0, 0);
        document.title = `${view.id || `case ${wanted + 1}`} – ${meta.title}`;
      } catch (error) {
        kgs.problem(body, error);
      }
    }

    function show(one) {
      places.summary.hidden = places.list.hidden = one;
      places.one.hidden = !one;
      if (!one) {
        document.title = meta.title;
        kgs.open = null;
      }
    }

    function turning() {
      const at = list.order.indexOf(current);
      const to = (step, name, key) => {
        const next = at < 0 ? undefined : list.order[at + step];
        return el("a", { class: "button", href: next === undefined ? null : `#case=${next}`, "aria-disabled": next === undefined ? "true" : null,
          "data-turn": key, role: next === undefined ? "link" : null }, name);
      };
      const where = at < 0 ? "" : `${kgs.count(at + 1)} of ${kgs.count(list.order.length)}`;
      return el("nav", { class: "turning", "aria-label": "Cases" }, el("a", { class: "button", href: "#cases" }, "All cases"),
        el("span", { class: "space" }), el("span", { class: "quiet" }, where), to(-1, "Previous", "previous"), to(1, "Next", "next"));
    }

    function keyed(event) {
      if (event.key === "Escape" && kgs.open) {
        if (!kgs.open.close()) location.hash = "#cases";
      } else if (event.altKey && kgs.open && (event.key === "n" || event.key === "p")) {
        event.preventDefault();
        places.one.querySelector(`[data-turn=${event.key === "n" ? "next" : "previous"}][href]`)?.click();
      }
    }

    // ---- paper ----
    function printing() {
      const note = el("span", { class: "quiet", role: "status" });
      const button = el("button", { type: "button", onclick: () => printAll(note) }, "Print these cases in full");
      return el("p", { class: "printing" }, button, note);
    }

    async function printAll(note) {
      if (list.order.length > MOST_PRINTED) {
        note.textContent = `Filter first: at most ${MOST_PRINTED} cases are printed in full.`;
        return;
      }
      note.textContent = "";
      const views = await Promise.all(list.order.map((at) => source.view(at)));
      places.paper.replaceChildren(...views.map((view) => kgs.makeCase(view, { still: true }).element));
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
