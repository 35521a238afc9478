"use strict";
// Two runs case by case; a case opens with the reference once for each candidate.
(() => {
  const { el, byId, number } = kgs;
  const PAGE = 50;
  const form = byId("comparing").elements;
  const runs = new Map(kgs.data("runs").map((run) => [run.key, run]));
  const asked = new URLSearchParams(location.search);
  let offset = 0;
  let order = 0;

  for (const name of ["a", "b"]) if (runs.has(asked.get(name))) form[name].value = asked.get(name);
  if (!asked.get("b") && runs.size > 1) form.b.selectedIndex = runs.size - 1;
  offerMetrics(asked.get("metric"));
  if (asked.get("order")) form.order.value = asked.get("order");
  byId("comparing").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["a", "b"]) form[name].addEventListener("change", () => { offerMetrics(form.metric.value); begin(); });
  for (const name of ["metric", "order"]) form[name].addEventListener("change", begin);
  form.find.addEventListener("input", kgs.later(150, begin));
  addEventListener("hashchange", openCase);
  update();

  function offerMetrics(wanted) {
    const both = (runs.get(form.a.value)?.metrics || []).filter((name) => runs.get(form.b.value)?.metrics.includes(name));
    form.metric.replaceChildren(...both.map((name) => el("option", { value: name, selected: name === wanted }, name)));
  }

  function begin() {
    offset = 0;
    location.hash = "";
    update();
  }

  async function update() {
    const values = { a: form.a.value, b: form.b.value, metric: form.metric.value, order: form.order.value };
    const mine = ++order;
    const place = byId("compared");
    if (!values.metric) {
      place.replaceChildren(el("p", { class: "notice" }, "These runs have no metric in common."));
      return;
    }
    history.replaceState(null, "", `?${new URLSearchParams(values)}${location.hash}`);
    try {
      const found = await kgs.ask(`/api/compare?${new URLSearchParams({ ...values, find: form.find.value, offset, limit: PAGE })}`);
      if (mine !== order) return;
      place.replaceChildren(summary(found), table(found), pager(found));
      openCase();
    } catch (error) {
      kgs.problem(place, error);
    }
  }

  function summary({ counts, means, a, b, metric }) {
    const tile = (name, value, words) => el("section", { class: "tile" }, el("h2", {}, name), el("p", { class: "big" }, value), el("p", {}, words));
    const left = counts.only_a + counts.only_b;
    return el("div", {},
      el("div", { class: "tiles" },
        tile(`A · ${a}`, number(means.a), `mean ${metric} of the ${kgs.count(counts.scored)} cases scored in both`),
        tile(`B · ${b}`, number(means.b), `mean ${metric} of the same cases`),
        tile("B against A", means.a === null ? "–" : signed(means.b - means.a),
          `better in ${kgs.count(counts.better)}, equal in ${kgs.count(counts.equal)}, worse in ${kgs.count(counts.worse)}`)),
      el("p", { class: "quiet after" }, `${kgs.plural(counts.cases, "case")} by id in both runs`,
        left ? `, ${kgs.count(counts.only_a)} only in A, ${kgs.count(counts.only_b)} only in B` : "",
        ". Whether a difference is more than chance: ", el("code", {}, `kgscore compare`), "."));
  }

  const signed = (value) => (value === null ? "–" : `${value > 0 ? "+" : value < 0 ? "−" : "±"}${number(Math.abs(value))}`);

  function table({ cases }) {
    const lost = (counts) => ["contradicted", "missed", "invented"].map((name) =>
      el("span", { class: `lost-count v-${name}` }, kgs.mark(name), el("span", { class: "unseen" }, name), String(counts[name])));
    const heads = ["Case", "A", "B", "B − A", "Lost in A", "Lost in B"];
    const rows = cases.map((row) => el("tr", {},
      el("th", { scope: "row" }, el("a", { href: `#${row.a}-${row.b}` }, row.id)),
      el("td", { class: "num" }, number(row.a_score)), el("td", { class: "num" }, number(row.b_score)),
      el("td", { class: "num" }, signed(row.difference)), el("td", {}, lost(row.a_lost)), el("td", {}, lost(row.b_lost))));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cases of both runs" },
      el("table", { class: "cases" },
        el("thead", {}, el("tr", {}, heads.map((name, n) => el("th", { scope: "col", class: n > 0 && n < 4 ? "num" : "" }, name)))),
        el("tbody", {}, rows.length ? rows : el("tr", {}, el("td", { colspan: 6 }, "No case.")))));
  }

  function pager({ found }) {
    if (found <= PAGE) return "";
    const go = (to, name) => el("button", { type: "button", disabled: to < 0 || to >= found, onclick: () => { offset = to; update(); } }, name);
    return el("nav", { class: "pager", "aria-label": "Pages of cases" }, go(offset - PAGE, "Previous"),
      el("span", {}, `${kgs.count(offset + 1)} – ${kgs.count(Math.min(offset + PAGE, found))} of ${kgs.count(found)}`), go(offset + PAGE, "Next"));
  }

  async function openCase() {
    const at = /^#(\d+)-(\d+)$/.exec(location.hash);
    const both = byId("both");
    byId("compared").hidden = Boolean(at);
    both.hidden = !at;
    if (!at) return;
    try {
      const views = await Promise.all(["a", "b"].map((name, n) =>
        kgs.ask(`/api/runs/${encodeURIComponent(form[name].value)}/cases/${at[n + 1]}`)));
      const cases = views.map((view) => kgs.makeCase(view, { concept: (id) => `/ontology#${encodeURIComponent(id)}`, name: "none" }));
      both.replaceChildren(
        el("nav", { class: "turning after", "aria-label": "Cases" }, el("a", { class: "button", href: "#" }, "All cases")),
        ...cases.map((one, n) => el("section", { class: "compared-case", "aria-label": `Run ${"AB"[n]}` },
          el("p", { class: "run-name" }, `Run ${"AB"[n]} · ${form["ab"[n]].value}`), one.element)));
      both.scrollIntoView();
    } catch (error) {
      kgs.problem(both, error);
    }
  }
})();
