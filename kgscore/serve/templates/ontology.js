"use strict";
// The ontology: search, tree, a page for each concept, and how two concepts stand to each other.
(() => {
  const { el, byId } = kgs;
  const address = (id) => `#${encodeURIComponent(id)}`;
  const link = (one) => el("a", { href: address(one.id) }, one.label);
  const VERDICTS = {
    same: "are the same", kind: "is a kind of", broader: "is broader than, and covers,", part: "lies in", whole: "contains",
    opposed: "excludes", overlaps: "overlaps", unrelated: "is not related to",
  };

  // ---- search ----
  const search = byId("concept-search");
  search.addEventListener("input", kgs.later(150, find));

  async function find() {
    const words = search.value.trim();
    const place = byId("concept-found");
    if (!words) return place.replaceChildren();
    try {
      const found = await kgs.ask(`/api/concepts?q=${encodeURIComponent(words)}`);
      if (words !== search.value.trim()) return;
      place.replaceChildren(...(found.length ? found.map(hit) : [el("li", { class: "quiet" }, "no concept is called so")]));
    } catch (error) {
      kgs.problem(place, error);
    }
  }

  const hit = (one) => el("li", {}, link(one), one.called === one.label.toLowerCase() ? "" : el("span", { class: "quiet" }, ` “${one.called}”`),
    el("span", { class: "quiet kind" }, one.kind));

  // ---- tree ----
  async function roots() {
    const place = byId("tree");
    place.replaceChildren(el("p", { class: "quiet" }, "Loading the ontologies …"));
    try {
      const kinds = await kgs.ask("/api/concepts");
      place.replaceChildren(...kinds.map((one) => el("details", {}, el("summary", {}, one.kind, " ",
        el("span", { class: "quiet" }, kgs.count(one.concepts.length))), el("ul", {}, one.concepts.map(branch)))));
    } catch (error) {
      kgs.problem(place, error);
    }
  }

  function branch(one) {
    const how = one.how === "part" ? el("span", { class: "quiet" }, "part: ") : "";
    if (!one.below) return el("li", { class: "leaf" }, how, link(one));
    const list = el("ul", {});
    const details = el("details", {}, el("summary", {}, how, one.label, " ", el("span", { class: "quiet" }, kgs.count(one.below))), list);
    details.addEventListener("toggle", async () => {
      if (!details.open || list.childElementCount) return;
      const below = await kgs.ask(`/api/concepts/${encodeURIComponent(one.id)}/below`);
      list.replaceChildren(el("li", { class: "leaf" }, el("a", { href: address(one.id) }, `about ${one.label}`)), ...below.map(branch));
    });
    return el("li", {}, details);
  }

  // ---- a concept ----
  addEventListener("hashchange", show);

  async function show() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    const place = byId("concept");
    const base = `/api/concepts/${encodeURIComponent(id)}`;
    try {
      const [one, below] = await Promise.all([kgs.ask(base), kgs.ask(`${base}/below`)]);
      place.replaceChildren(...page(one, below));
      byId("relating").elements.a.value = one.label;
      document.title = `${one.label} – kgscore`;
      place.querySelector(".occurrences").replaceChildren(...places(await kgs.ask(`${base}/occurrences`)));
    } catch (error) {
      kgs.problem(place, error);
    }
  }

  function page(one, below) {
    const rows = one.rows.filter((row) => !["kinds", "parts", "is a", "part of", "overlaps", "excludes", "implies", "means"].includes(row.name));
    const listed = (name, list) => (list.length ? [el("dt", {}, name), el("dd", {}, list.flatMap((item, n) => [n ? ", " : "", link(item)]))] : []);
    return [
      el("nav", { class: "above quiet", "aria-label": "Above" }, one.above.flatMap((item) => [link(item), " › "])),
      el("h2", {}, one.label),
      el("p", { class: "quiet" }, `${one.id} · ${one.kind} · ${one.module} · `, el("span", { class: "iri" }, one.iri)),
      el("dl", { class: "rows" },
        one.definitions.length ? [el("dt", {}, "definition"), el("dd", {}, one.definitions.join("; or "))] : [],
        Object.entries(one.links).flatMap(([name, list]) => listed(name, list)),
        rows.flatMap((row) => [el("dt", {}, row.name), el("dd", {}, row.text)]),
        listed("kinds", below.filter((item) => item.how === "kind")), listed("parts", below.filter((item) => item.how === "part"))),
      el("h3", {}, "In these runs"),
      el("div", { class: "occurrences" }, el("p", { class: "quiet" }, "Counting …")),
    ];
  }

  function places(runs) {
    const rows = runs.flatMap((run) => {
      const count = run.counts.map((one) => `${kgs.count(one.count)} ${one.status} in ${one.report}s`).join(", ");
      const examples = run.examples.slice(0, 8).map((one) =>
        el("li", {}, el("a", { href: `/runs/${encodeURIComponent(run.run)}#case=${one.position}` }, one.id || `case ${one.position + 1}`),
          el("span", { class: "quiet" }, ` ${one.report}: ${one.status}, “${one.text}”`)));
      return count ? [el("p", {}, el("b", {}, run.run), ` ${count}`), el("ul", { class: "examples" }, examples)] : [];
    });
    return rows.length ? rows : [el("p", { class: "quiet" }, "It does not occur.")];
  }

  // ---- two concepts ----
  const form = byId("relating");
  const known = new Map();
  const offer = kgs.later(150, async (event) => {
    const found = await kgs.ask(`/api/concepts?q=${encodeURIComponent(event.target.value)}`).catch(() => []);
    found.filter((one) => one.id).forEach((one) => known.set(one.label.toLowerCase(), one.id));
    byId("concept-names").replaceChildren(...found.filter((one) => one.id).slice(0, 12).map((one) => el("option", { value: one.label })));
  });
  form.addEventListener("input", offer);
  form.addEventListener("submit", relate);

  async function named(words) {
    const exact = known.get(words.trim().toLowerCase());
    if (exact) return exact;
    const found = await kgs.ask(`/api/concepts?q=${encodeURIComponent(words)}`);
    if (!words.trim() || !found.length) throw new Error(`No concept is called “${words}”.`);
    return found[0].id;
  }

  async function relate(event) {
    event.preventDefault();
    const place = byId("relation");
    try {
      const [a, b] = [await named(form.elements.a.value), await named(form.elements.b.value)];
      const found = await kgs.ask(`/api/relation?${new URLSearchParams({ a, b })}`);
      place.replaceChildren(...relation(found));
    } catch (error) {
      kgs.problem(place, error);
    }
  }

  function relation(found) {
    const steps = (list) => el("ol", { class: "proof-steps" }, list.map((step) => el("li", {}, step)));
    const said = found.statements.map((one) => el("tr", {}, el("td", {}, one.reference), el("td", {}, one.candidate),
      el("td", {}, one.relation.replace("_", "–")), el("td", { class: "num" }, kgs.number(one.weight)), el("td", { class: "quiet" }, one.proof.join("; "))));
    return [
      el("p", { class: "relation-verdict" }, link(found.a), ` ${VERDICTS[found.verdict]} `, link(found.b), "."),
      found.proof.length ? steps(found.proof) : "",
      found.shared.length ? el("p", { class: "quiet" }, "Nearest above both: ", found.shared.flatMap((one, n) => [n ? ", " : "", link(one)])) : "",
      said.length ? el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Statements" },
        el("table", {}, el("thead", {}, el("tr", {}, ["Reference", "Candidate", "Relation", "Credit", "Proof"].map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, said))) : "",
    ];
  }

  roots();
  show();
})();
