"use strict";
// The ontology: search, tree, a page for each concept, and how two concepts stand to each other.
(() => {
  const { el, byId } = kgs;
  const address = (id) => `#${encodeURIComponent(id)}`;
  const link = (one) => el("a", { href: address(one.id) }, one.label);
  const SHORT = { same: "the same", kind: "a kind of it", broader: "broader", part: "lies in it", whole: "contains it", opposed: "excluded by it", overlaps: "overlaps" };
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

  const chosen = () => decodeURIComponent(location.hash.slice(1)) || byId("concept").dataset.first;
  let suggested = "";

  async function show() {
    const id = chosen();
    const place = byId("concept");
    const base = `/api/concepts/${encodeURIComponent(id)}`;
    try {
      const [one, below] = await Promise.all([kgs.ask(base), kgs.ask(`${base}/below`)]);
      if (id !== chosen()) return;
      place.replaceChildren(...page(one, below));
      suggest(one.label);
      document.title = `${one.label} – kgscore`;
      const [occurring, near] = [place.querySelector(".occurrences"), place.querySelector(".near")];
      await Promise.all([kgs.ask(`${base}/occurrences`).then((found) => occurring.replaceChildren(...places(found))),
        kgs.ask(`${base}/nearest`).then((found) => near.replaceChildren(...alike(found)))]);
    } catch (error) {
      kgs.problem(place, error);
    }
  }

  /** Offer a concept as the first of the two to relate, unless the reader has written one. */
  function suggest(label) {
    const first = byId("relating").elements.a;
    if (first.value === suggested) first.value = suggested = label;
  }

  const TOLD = ["kinds", "parts", "is a", "part of", "overlaps", "excludes", "implies", "means", "severity", "significance"];

  function page(one, below) {
    const rows = one.rows.filter((row) => !TOLD.includes(row.name));
    const listed = (name, list) => (list.length ? [el("dt", {}, name), el("dd", {}, list.flatMap((item, n) => [n ? ", " : "", link(item)]))] : []);
    const apart = Object.entries(one.links).filter(([name]) => !["kind of", "part of"].includes(name));
    return [
      el("nav", { class: "above quiet", "aria-label": "Above" }, one.above.flatMap((item) => [link(item), " › "])),
      el("div", { class: "concept-head" }, el("h1", {}, one.label), one.severity ? kgs.badge(one.severity) || el("span", { class: "tier" }, kgs.TIERS[1]) : null,
        el("span", { class: "quiet" }, `${one.kind} · ${one.module}`)),
      one.definitions.length ? el("p", {}, "By definition: ", one.definitions.join("; or "), ".") : null,
      around(one, below),
      el("dl", { class: "rows" }, apart.flatMap(([name, list]) => listed(name, list)), rows.flatMap((row) => [el("dt", {}, row.name), el("dd", {}, row.text)]),
        el("dt", {}, "IRI"), el("dd", { class: "iri quiet" }, one.iri)),
      el("h2", {}, "Near in meaning ", el("span", { class: "quiet" }, "by how they are called: opposites are near too")),
      el("ul", { class: "near" }, el("li", { class: "quiet" }, "Comparing …")),
      el("h2", {}, "In these runs"),
      el("div", { class: "occurrences" }, el("p", { class: "quiet" }, "Counting …")),
    ];
  }

  /** What is right above and right below a concept, as a small picture of links. */
  function around(one, below) {
    const MOST = 12;
    const box = (item, how) => el("li", {}, how ? el("span", { class: "how" }, `${how} `) : null, link(item));
    const above = [...(one.links["kind of"] || []).map((item) => box(item, "")), ...(one.links["part of"] || []).map((item) => box(item, "part of"))];
    const under = below.slice(0, MOST).map((item) => box(item, item.how === "part" ? "part" : ""));
    if (!above.length && !under.length) return null;
    return el("div", { class: "around" }, el("ul", { "aria-label": "Right above" }, above), el("span", {}, el("span", { class: "arrow", "aria-hidden": "true" }, "← "), el("strong", {}, one.label), el("span", { class: "arrow", "aria-hidden": "true" }, " ←")),
      el("ul", { "aria-label": "Right below" }, under, below.length > MOST ? el("li", { class: "quiet" }, `and ${kgs.count(below.length - MOST)} more, in the tree`) : null));
  }

  /** What is called most alike, with how each stands to the concept. */
  function alike(found) {
    return found.length ? found.map((one) => el("li", {}, link(one), one.how === "unrelated" ? null : el("span", { class: "quiet" }, ` ${SHORT[one.how]}`)))
      : [el("li", { class: "quiet" }, "Nothing.")];
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
