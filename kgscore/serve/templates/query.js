"use strict";
// SPARQL over the graph of a run folder.
(() => {
  const { el, byId } = kgs;
  const form = byId("asking");
  const shipped = kgs.data("queries");
  form.elements.shipped.addEventListener("change", () => {
    const chosen = shipped[form.elements.shipped.value];
    if (chosen) form.elements.query.value = chosen;
  });
  form.elements.query.addEventListener("input", () => (form.elements.shipped.value = ""));
  form.elements.query.addEventListener("keydown", (event) => event.ctrlKey && event.key === "Enter" && form.requestSubmit());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const place = byId("answer");
    place.replaceChildren(el("p", { class: "quiet" }, "Asking …"));
    try {
      const run = encodeURIComponent(form.elements.run.value);
      const began = performance.now();
      const found = await kgs.ask(`/api/runs/${run}/query`, { query: form.elements.query.value });
      place.replaceChildren(...answer(found, (performance.now() - began) / 1000));
    } catch (error) {
      kgs.problem(place, error);
    }
  });

  function answer(found, seconds) {
    if (found.truth !== null) return [el("p", { class: "relation-verdict" }, found.truth ? "Yes." : "No.")];
    const count = found.triples ? found.triples.length : found.rows.length;
    const note = el("p", { class: "list-status" }, kgs.plural(count, found.triples ? "triple" : "row"), found.more ? ", and more" : "",
      el("span", { class: "quiet" }, ` in ${seconds.toFixed(1)} s`));
    if (found.triples) return [note, el("pre", { class: "sum", tabindex: "0", role: "group", "aria-label": "Triples" }, found.triples.join("\n"))];
    const rows = found.rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell === null ? "" : String(cell)))));
    return [note, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answer" }, el("table", { class: "answer" },
      el("thead", {}, el("tr", {}, found.columns.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows)))];
  }
})();
