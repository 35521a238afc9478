"use strict";
// Two runs against each other: a scatter of their scores, a list of what changed, and a case with three reports.
(() => {
  const { el, svg, byId, number } = kgs;
  const { reportOf, makePane, groupOf, proofOf, counted, legend, lit, worst, fitPaper } = kgs.parts;
  const RANK = ["missed", "wrong", "shared", "minor", "correct"];
  const POINTS = 1500;

  /** Open the book of a comparison. A source gives `columns()` and `view(i, j)`: both views of a pair. */
  kgs.openContrast = async function (source, meta) {
    const held = await source.columns().catch((error) => kgs.problem(byId("case-list"), error));
    if (!held) return;
    const metric = held.scores[kgs.state.get().get("metric")] ? kgs.state.get().get("metric") : Object.keys(held.scores)[0];
    const info = meta.metrics[metric];
    const [a, b] = held.scores[metric];
    const difference = a.map((value, at) => (value === null || b[at] === null ? null : b[at] - value));
    byId("scatter").replaceChildren(scatter(a, b, metric, held.ids));
    const keys = held.at.map((one) => one.join("-"));
    const place = new Map(keys.map((key, at) => [key, at]));
    addEventListener("kgs:state", () => (kgs.state.get().get("metric") || metric) !== metric && location.reload());
    addEventListener("popstate", () => (kgs.state.get().get("metric") || metric) !== metric && location.reload());
    await kgs.openBook({
      columns: async () => ({ ...held, scores: { "B − A": difference, A: a, B: b } }),
      view: async (key) => {
        if (!place.has(key)) throw new Error("Both runs hold no such pair.");
        const at = place.get(key);
        const [one, other] = await source.view(...held.at[at], at);
        const shown = [["A", a[at]], ["B", b[at]], ["B − A", difference[at]]].map(([name, value]) => ({ metric: name === "B − A" ? name : `${name} ${metric}`, value, shown: name === "B − A" ? kgs.signed(value) : null }));
        return { id: one.id, scores: shown, a: one, b: { ...other, reference: whole(one.reference, other.reference) } };
      },
      make: (view, options) => makeThree(view, { ...options, names: [meta.a, meta.b] }),
      lead: "B − A",
      list: { key: (at) => keys[at], signed: "B − A", sort: `${info?.higher_is_better === false ? "-" : ""}score:B − A`, keep: ["metric"] },
    }, { ...meta, metrics: { "B − A": { ...info, summary: `${metric} of B minus that of A` }, A: { ...info, summary: metric }, B: { ...info, summary: metric } } });
  };

  /** The reference as the second run holds it: left out where it was read as in the first, but for what became of it. */
  function whole(one, other) {
    return other.kinds ? { ...one, findings: one.findings.map((finding, n) => ({ ...finding, kind: other.kinds[n] })) } : other;
  }

  /** Scores of B over those of A: points, or squares as dark as they hold cases where there are many. */
  function scatter(a, b, metric, ids) {
    const both = a.flatMap((value, at) => (value === null || b[at] === null ? [] : [at]));
    if (!both.length) return el("p", { class: "quiet" }, "No case is scored in both.");
    const values = both.flatMap((at) => [a[at], b[at]]);
    const [low, high] = [values.reduce((one, other) => Math.min(one, other)), values.reduce((one, other) => Math.max(one, other))];
    const to = (value) => 4 + (192 * (value - low)) / (high - low || 1);
    const words = `${metric} of B over A for ${kgs.plural(both.length, "case")}, from ${number(low)} to ${number(high)}: above the line in ${both.filter((at) => b[at] > a[at]).length}, below in ${both.filter((at) => b[at] < a[at]).length}`;
    const marks = both.length <= POINTS
      ? both.map((at) => svg("circle", { cx: to(a[at]), cy: 200 - to(b[at]), r: 2.2 }, svg("title", {}, `${ids[at]}: ${number(a[at])}, ${number(b[at])}`)))
      : squares(both.map((at) => [to(a[at]), 200 - to(b[at])]));
    return svg("svg", { viewBox: "0 0 200 200", role: "img", "aria-label": words, class: "scatter" }, svg("rect", { class: "frame", x: 0.5, y: 0.5, width: 199, height: 199 }), svg("line", { x1: 4, y1: 196, x2: 196, y2: 4 }), marks);
  }

  function squares(points) {
    const found = new Map();
    for (const [x, y] of points) {
      const key = `${Math.floor(x / 5)} ${Math.floor(y / 5)}`;
      found.set(key, (found.get(key) || 0) + 1);
    }
    const most = Math.log1p([...found.values()].reduce((one, other) => Math.max(one, other)));
    return [...found].map(([key, count]) => svg("rect", { x: Number(key.split(" ")[0]) * 5, y: Number(key.split(" ")[1]) * 5, width: 5, height: 5, opacity: (0.15 + (0.85 * Math.log1p(count)) / most).toFixed(2) }));
  }

  function makeThree(view, options) {
    const { a, b } = view;
    const still = Boolean(options.still);
    const same = a.reference.findings.length === b.reference.findings.length;
    const marks = { reference: new Map(), a: new Map(), b: new Map() };
    const rows = changes();
    const elements = rows.map(rowOf);
    const pane = makePane("What changed", groups(), still);
    const kindOf = (n) => [a.reference.findings[n].kind, same ? b.reference.findings[n].kind : a.reference.findings[n].kind];
    const sign = (kind) => kgs.VERDICTS[kind].mark;
    let from = null;
    const element = el("article", { class: "case three" }, still ? el("h2", {}, view.id) : null, same ? null : el("p", { class: "notice" }, "The reference was read differently in the two runs; what changed is told of each by itself."),
      el("div", { class: "columns" },
        reportOf(a.reference, { name: "Reference", note: counted(a.reference), still, marks: marks.reference, pick: pick("reference"),
          told: (n) => { const kinds = kindOf(n); const one = a.reference.findings[n]; return { kind: worst(kinds), denial: one.denial, sup: kinds[0] === kinds[1] ? sign(kinds[0]) : `${sign(kinds[0])}→${sign(kinds[1])}`, words: `${one.name}, A ${kinds[0]}, B ${kinds[1]}` }; } }),
        ...[["a", a, "A"], ["b", b, "B"]].map(([key, one, letter], n) => reportOf(one.candidate, { name: `${letter} · ${options.names[n]}`, note: counted(one.candidate), still, marks: marks[key], pick: pick(key),
          told: (n) => ({ kind: one.candidate.findings[n].kind, denial: one.candidate.findings[n].denial, sup: sign(one.candidate.findings[n].kind), words: `${one.candidate.findings[n].name}, ${one.candidate.findings[n].kind}` }) })),
        pane.element, still ? null : el("div", { class: "under" }, legend())));
    return { element: fitPaper(element), choose, close };

    /** What is to be said of the pair: a row a finding of the reference, and a row for what a candidate invents. */
    function changes() {
      const found = [];
      const used = { a: new Set(), b: new Set() };
      const of = (side, report, n) => side.items.find((item) => item[report].includes(n) && item.kind !== "shared");
      if (same) a.reference.findings.forEach((finding, n) => {
        const items = [of(a, "reference", n), of(b, "reference", n)];
        const kinds = [finding.kind, b.reference.findings[n].kind];
        found.push({ name: finding.name, where: finding.where, denial: finding.denial && kinds.every((kind) => kind !== "wrong"), tier: Math.max(0, ...items.map((item) => item?.tier || 0)), kinds, items, change: RANK.indexOf(kinds[1]) - RANK.indexOf(kinds[0]), reference: n });
      });
      const extra = (side, key) => side.items.filter((item) => !item.reference.length || !same).map((item) => ({ item, key, finding: side.candidate.findings[item.candidate[0]] || side.reference.findings[item.reference[0]] }));
      const theirs = extra(b, "b");
      for (const one of extra(a, "a")) {
        const twin = theirs.find((other) => !used.b.has(other) && other.finding.name === one.finding.name && other.finding.where === one.finding.where && other.item.kind === one.item.kind);
        if (twin) used.b.add(twin);
        found.push({ name: one.finding.name, where: one.finding.where, denial: one.item.denial, tier: one.item.tier, kinds: [one.item.kind, twin ? twin.item.kind : ""], items: [one.item, twin?.item], change: twin ? 0 : 1 });
      }
      for (const one of theirs) if (!used.b.has(one)) found.push({ name: one.finding.name, where: one.finding.where, denial: one.item.denial, tier: one.item.tier, kinds: ["", one.item.kind], items: [undefined, one.item], change: -1 });
      return found.sort((one, other) => other.tier - one.tier);
    }

    function groups() {
      const mine = (keep) => rows.flatMap((row, at) => (keep(row) ? [elements[at]] : []));
      const lost = (row) => ["wrong", "missed", "invented"].includes(row.kinds[1]);
      return [groupOf("Worse in B", mine((row) => row.change < 0 && !row.denial), true), groupOf("Better in B", mine((row) => row.change > 0 && !row.denial), true),
        groupOf("Wrong in both", mine((row) => !row.change && lost(row) && !row.denial), true), groupOf("The same in both", mine((row) => !row.change && !lost(row) && !row.denial), still),
        groupOf("Denials that changed", mine((row) => row.change && row.denial), still), groupOf("Denials that are the same", mine((row) => !row.change && row.denial), false)];
    }

    function rowOf(row, at) {
      const mark = (kind) => (kind ? el("span", { class: `v-${kind}` }, kgs.mark(kind)) : el("span", { class: "quiet" }, "·"));
      const kind = row.kinds[1] || row.kinds[0];
      return el(still ? "div" : "button", { class: `row change-row v-${kind}`, type: still ? null : "button", onclick: () => { from = elements[at]; options.chosen?.(at); choose(at); element.querySelector(".finding.chosen")?.scrollIntoView({ block: "nearest" }); } },
        el("span", { class: "change", "aria-label": `A ${row.kinds[0] || "nothing"}, B ${row.kinds[1] || "nothing"}`, role: "img" }, mark(row.kinds[0]), "→", mark(row.kinds[1])),
        el("span", {}, el("b", {}, row.name), " ", el("span", { class: "quiet" }, row.where)), el("span", {}, row.denial ? null : kgs.badge(row.tier)));
    }

    function pick(column) {
      return (numbers, keyboard, mark) => {
        const side = { a: 0, b: 1 }[column];
        const at = rows.findIndex((row) => (column === "reference" ? numbers.includes(row.reference) || row.items.some((item) => item?.reference.some((n) => numbers.includes(n))) : row.items[side]?.candidate.some((n) => numbers.includes(n))));
        from = mark;
        if (at < 0) return;
        options.chosen?.(at);
        choose(at);
        if (keyboard) pane.proof.focus({ preventScroll: true });
      };
    }

    function choose(at) {
      const row = rows[at];
      if (!row) return;
      const reference = [...new Set(row.items.flatMap((item) => item?.reference || []))];
      lit(element, "chosen", [...reference.flatMap((n) => marks.reference.get(n) || []), ...["a", "b"].flatMap((key, n) => (row.items[n]?.candidate || []).flatMap((one) => marks[key].get(one) || []))]);
      elements.forEach((one, n) => (n === at ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current")));
      if (elements[at].closest("details")) elements[at].closest("details").open = true;
      pane.proof.className = `proof v-${row.kinds[1] || row.kinds[0]}`;
      const proofs = [a, b].map((one, n) => (row.items[n] ? proofOf(one, row.items[n], options) : el("p", {}, "Says nothing of it.")));
      const told = proofs[0].isEqualNode(proofs[1]) ? [["A and B", proofs[0]]] : [["A", proofs[0]], ["B", proofs[1]]];
      pane.proof.replaceChildren(el("button", { type: "button", class: "plain link close", onclick: close }, "Close"), ...told.flatMap(([name, proof]) => [el("p", { class: "quiet" }, name), proof]));
      document.body.classList.add("sheet");
      kgs.announce(`${row.name}: A ${row.kinds[0] || "nothing"}, B ${row.kinds[1] || "nothing"}.`);
    }

    function close() {
      const was = !pane.proof.classList.contains("idle");
      pane.proof.className = "proof idle";
      pane.proof.replaceChildren(el("p", { class: "quiet" }, "Press words or a line for the proof."));
      lit(element, "chosen", []);
      elements.forEach((one) => one.removeAttribute("aria-current"));
      document.body.classList.remove("sheet");
      if (was) options.chosen?.(null);
      if (was && from) from.focus();
      return was;
    }
  }
})();
