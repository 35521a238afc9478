"use strict";
// SPARQL over the graph of a run folder, or SQL over its tables. Run, query and parameters stand in the address.
(() => {
  const { el, byId } = kgs;
  const data = kgs.data("queries");
  const form = byId("asking");
  const fields = form.elements;
  const shipped = new Map(data.queries.map((one) => [one.name, one]));
  const parameters = byId("parameters");
  const usual = fields.query.value;
  let running = null;
  let last = null;

  fields.shipped.addEventListener("change", () => choose(fields.shipped.value, true));
  fields.query.addEventListener("input", () => { if (!parameters.childElementCount) fields.shipped.value = ""; });
  fields.query.addEventListener("keydown", (event) => event.ctrlKey && event.key === "Enter" && form.requestSubmit());
  fields.cancel.addEventListener("click", () => running?.abort());
  form.addEventListener("submit", (event) => { event.preventDefault(); keep(); ask(); });
  addEventListener("popstate", restore);

  function choose(name, text) {
    const chosen = shipped.get(name);
    fields.shipped.value = chosen ? name : "";
    parameters.replaceChildren(...(chosen?.parameters || []).map(field));
    byId("about").textContent = chosen?.about || "";
    byId("about").hidden = !chosen?.about;
    if (chosen && text) fields.query.value = chosen.text;
  }

  /** A parameter of a shipped query: what it may be is chosen, everything else is typed. */
  function field(one) {
    const name = `${one.name}${one.about ? ` – ${one.about}` : ` (${one.type})`}`;
    const attributes = { "data-parameter": one.name, required: one.default === null };
    const choices = one.type.includes("|") ? one.type.split("|") : [];
    if (!choices.length) {
      const latest = one.type === "run" && one.default === "latest";
      return el("label", {}, name, el("input", { ...attributes, value: latest ? null : one.default, placeholder: latest ? "the run above" : null }));
    }
    if (one.default && !choices.includes(one.default)) choices.unshift(one.default);
    return el("label", {}, name, el("select", attributes, choices.map((word) => el("option", { selected: word === one.default }, word))));
  }

  const given = () => Object.fromEntries([...parameters.querySelectorAll("[data-parameter]")]
    .filter((one) => one.value !== "").map((one) => [one.dataset.parameter, one.value]));

  function keep() {
    const name = fields.shipped.value;
    const own = !name || fields.query.value !== shipped.get(name).text;
    const state = new URLSearchParams({ run: fields.run.value, ...(name ? { name } : {}), ...(own ? { q: fields.query.value } : {}) });
    for (const [key, value] of Object.entries(given())) state.set(`p.${key}`, value);
    if (`#${state}` !== location.hash) history.pushState(null, "", `#${state}`);
  }

  /** Put the form as the address says, and ask. */
  function restore() {
    const state = kgs.state.get();
    if (state.has("run")) fields.run.value = state.get("run");
    choose(state.get("name") || "", true);
    if (state.has("q")) fields.query.value = state.get("q");
    else if (!state.has("name")) fields.query.value = usual;
    for (const one of parameters.querySelectorAll("[data-parameter]")) if (state.has(`p.${one.dataset.parameter}`)) one.value = state.get(`p.${one.dataset.parameter}`);
    if (state.has("q") || state.has("name")) ask();
  }

  async function ask() {
    running?.abort();
    const mine = running = new AbortController();
    const place = byId("answer");
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    const tick = setInterval(() => { byId("progress").textContent = `Asking … ${seconds().toFixed(0)} s`; }, 500);
    fields.cancel.hidden = false;
    place.setAttribute("aria-busy", "true");
    try {
      const run = fields.run.value;
      const body = { query: fields.query.value, limit: 1000, ...(data.language === "SPARQL" ? { parameters: given() } : {}) };
      const found = await kgs.ask(`/api/runs/${encodeURIComponent(run)}/${data.address}`, body, mine.signal);
      if (running === mine) place.replaceChildren(...answer(found, seconds(), run));
    } catch (error) {
      if (running === mine) kgs.problem(place, mine.signal.aborted ? "Cancelled." : error);
    } finally {
      clearInterval(tick);
      if (running === mine) {
        fields.cancel.hidden = true;
        byId("progress").textContent = "";
        place.removeAttribute("aria-busy");
      }
    }
  }

  function answer(found, seconds, run) {
    if (found.truth !== null) return [el("p", { class: "relation-verdict" }, found.truth ? "Yes." : "No.")];
    last = found.triples ? [["triple"], ...found.triples.map((one) => [one])] : [found.columns, ...found.rows];
    const count = last.length - 1;
    const note = el("p", { class: "found" }, el("strong", {}, kgs.plural(count, found.triples ? "triple" : "row"), found.more ? ", and more" : ""),
      el("span", { class: "quiet" }, ` in ${seconds.toFixed(1)} s`), el("button", { type: "button", onclick: () => kgs.download("answer.csv", "text/csv", kgs.csv(last)) }, "CSV"));
    if (found.triples) return [note, el("pre", { class: "sum", tabindex: "0", role: "group", "aria-label": "Triples" }, found.triples.join("\n"))];
    const rows = found.rows.map((row) => el("tr", {}, row.map((cell, n) => el("td", { class: typeof cell === "number" ? "num" : cell !== null && (typeof cell === "object" || String(cell).length > 40) ? "long" : null }, shown(cell, found.columns[n], run, found.concepts?.[cell])))));
    return [note, el("div", { class: "scroll tile", tabindex: "0", role: "region", "aria-label": "Answer" }, el("table", { class: "answer" },
      el("thead", {}, el("tr", {}, found.columns.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows)))];
  }

  /** A cell: cases and concepts are links. */
  function shown(cell, column, run, concept) {
    if (cell === null) return "";
    const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell);
    const page = `/runs/${encodeURIComponent(run)}`;
    if (["case", "id", "case_id"].includes(column)) return el("a", { href: `${page}#${new URLSearchParams({ id: text })}` }, text);
    if (column === "position") return el("a", { href: `${page}#case=${text}` }, text);
    if (concept || column === "concept") return el("a", { href: `/ontology#${encodeURIComponent(concept || text)}`, title: concept ? text : null }, concept || text);
    return text;
  }

  restore();
})();
