"use strict";
// SPARQL over the graph of a run folder.
(() => {
  const { el, byId } = kgs;
  const form = byId("asking");
  const shipped = new Map(kgs.data("queries").map((one) => [one.name, one]));
  const parameters = byId("parameters");
  form.elements.shipped.addEventListener("change", () => {
    const chosen = shipped.get(form.elements.shipped.value);
    parameters.replaceChildren(...(chosen?.parameters || []).map(field));
    byId("about").textContent = chosen?.about || "";
    byId("about").hidden = !chosen?.about;
    if (chosen) form.elements.query.value = chosen.text;
  });

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

  form.elements.query.addEventListener("input", () => {
    if (!parameters.childElementCount) form.elements.shipped.value = "";
  });
  form.elements.query.addEventListener("keydown", (event) => event.ctrlKey && event.key === "Enter" && form.requestSubmit());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const place = byId("answer");
    place.replaceChildren(el("p", { class: "quiet" }, "Asking …"));
    try {
      const run = encodeURIComponent(form.elements.run.value);
      const began = performance.now();
      const found = await kgs.ask(`/api/runs/${run}/query`, { query: form.elements.query.value, parameters: given() });
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
