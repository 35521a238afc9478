"use strict";
// The list of cases: sorted, filtered and cut into pages here, over columns that hold every case. What it shows stands in the address.
(() => {
  const { el, number, KINDS } = kgs;
  const PAGE = 50;
  const FILTERS = ["q", "id", "outcome", "finding", "tier", "status", "low", "high"];

  /** What an item's number says (kgscore.report.items). */
  const item = (code) => ({ tier: code % 5, kind: KINDS[Math.floor(code / 5) % 5], denial: Math.floor(code / 25) % 2 === 1, label: Math.floor(code / 50) });
  const grave = (one) => (one.denial || one.kind === "minor" || one.kind === "correct" ? 0 : one.tier);

  kgs.makeList = function (columns, options) {
    const metrics = Object.keys(columns.scores);
    const groups = Object.keys(columns.fields);
    const names = [...FILTERS, ...groups.map((name) => `f.${name}`)];
    const all = columns.ids.map((_, at) => at);
    const lowered = { labels: columns.labels.map((label) => label.toLowerCase()), ids: columns.ids.map((id) => id.toLowerCase()) };
    const items = columns.items.map((codes) => codes.map(item));
    const gone = columns.gone?.map((codes) => codes.map(item));
    const worst = items.map((mine) => (mine.length && grave(mine[0]) ? mine[0] : null));
    const errors = items.map((mine) => mine.filter(grave).length);
    const tally = (at) => items[at].reduce((sum, one) => (one.denial || (sum[one.kind] = (sum[one.kind] || 0) + 1), sum), {});
    const usualSort = options.sort || "-grave";
    const shown = makeColumns();
    const place = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "List of cases" });
    const found = el("p", { class: "found" });
    const pager = el("nav", { class: "pager", "aria-label": "Pages of cases" });
    const part = el("p", { class: "part-note" });
    const fields = tools();
    const self = { element: el("div", { class: "case-list" }, fields, found, part, place, pager), order: [], update, words };
    let holding = { words: "", positions: null };
    return self;

    // ---- what is shown of a case ----
    function makeColumns() {
      const made = new Map();
      const first = metrics[0];
      made.set("position", { name: "#", down: false, value: (at) => at, cell: (at) => String(at + 1), kind: "num quiet" });
      made.set("case", { name: options.first || "case · first words of the reference", down: false, sort: "id", value: (at) => columns.ids[at] });
      for (const name of metrics) {
        const info = options.metrics[name];
        made.set(`score:${name}`, { name, hint: info?.summary, down: !(info?.higher_is_better ?? true), value: (at) => columns.scores[name][at],
          cell: (at) => (options.signed === name ? kgs.signed(columns.scores[name][at]) : number(columns.scores[name][at])), kind: `num score${name === first ? " lead-score" : ""}` });
      }
      if (gone) {
        made.set("grave", { name: "new in B", down: true, value: gravity, cell: (at) => told(items[at], at), kind: "gravest" });
        made.set("gone", { name: "gone in B", down: true, value: (at) => Math.max(0, ...gone[at].map(grave)), cell: (at) => told(gone[at], at), kind: "gravest" });
        return made;
      }
      made.set("strip", { name: "abnormal findings", cell: (at) => kgs.strip(tally(at)), kind: "" });
      made.set("grave", { name: "gravest error", down: true, value: gravity, cell: (at) => told(items[at], at), kind: "gravest" });
      for (const kind of KINDS) made.set(`count:${kind}`, { name: kind, down: true, value: (at) => tally(at)[kind] || 0, cell: (at) => String(tally(at)[kind] || 0), kind: "num" });
      if (columns.corrections) made.set("corrections", { name: "corrections", down: true, value: (at) => columns.corrections[at], cell: (at) => String(columns.corrections[at] ?? ""), kind: "num" });
      for (const name of groups) made.set(`f.${name}`, { name, down: false, value: (at) => columns.fields[name][at], cell: (at) => columns.fields[name][at], kind: "quiet" });
      return made;
    }

    function gravity(at) {
      return worst[at] ? worst[at].tier * 1000 + Math.min(errors[at], 999) : 0;
    }

    function usual() {
      return ["case", ...metrics.slice(0, gone ? 3 : 1).map((name) => `score:${name}`), ...(gone ? ["grave", "gone"] : ["strip", "grave", "corrections"])];
    }

    /** The gravest error in words, and how many more there are. */
    function told(mine, at) {
      if (columns.status && columns.status[at] !== "scored") return el("span", { class: "status-note" }, columns.status[at]);
      const lost = mine.filter(grave);
      if (!lost.length) return el("span", { class: "quiet none" }, gone ? "–" : "no error");
      const more = lost.length > 1 ? el("span", { class: "quiet" }, ` +${lost.length - 1}`) : null;
      return [kgs.badge(lost[0].tier), lost[0].tier > 1 ? " " : null, `${lost[0].kind} `, el("b", {}, columns.labels[lost[0].label]), more];
    }

    // ---- controls ----
    function tools() {
      const set = (name) => (event) => kgs.state.go({ [name]: event.target.value.trim(), page: null });
      const typed = (name) => kgs.later(200, (value) => kgs.state.go({ [name]: value.trim(), page: null }, true));
      const choice = (name, label, pairs) => el("select", { name, "aria-label": label, onchange: set(name) },
        pairs.map((pair) => (Array.isArray(pair[1]) ? el("optgroup", { label: pair[0] }, pair[1].map(([value, text]) => el("option", { value }, text)))
          : el("option", { value: pair[0] }, pair[1]))));
      const input = (name, label, more = {}) => {
        const later = typed(name);
        return el("input", { name, type: "search", "aria-label": label, placeholder: label, oninput: (event) => later(event.target.value), ...more });
      };
      const count = (keep) => kgs.count(all.filter(keep).length);
      const outcomes = gone ? [] : choice("outcome", "Outcome", [["", "outcome"], ...KINDS.map((kind) => [kind, `${kind} (${count((at) => tally(at)[kind])})`]),
        ["lost", "any of the first three"], ["Denials", KINDS.slice(1).map((kind) => [`no-${kind}`, `denial ${kind}`])]]);
      const tiers = choice("tier", "Gravest error", [["", gone ? "new in B" : "gravest error"], ...[4, 3, 2, 1].map((tier) =>
        [String(tier), `${kgs.TIERS[tier]} (${count((at) => worst[at]?.tier === tier)})`])]);
      const group = (name) => choice(`f.${name}`, name, [["", name], ...[...new Set(columns.fields[name])].sort().map((value) =>
        [`=${value}`, `${value || "(none)"} (${count((at) => columns.fields[name][at] === value)})`])]);
      const metric = metrics[0];
      const range = metric ? el("fieldset", {}, el("legend", {}, `${metric} from – to`), ["low", "high"].map((name) =>
        input(name, `${metric}, ${name === "low" ? "lowest" : "highest"}`, { type: "number", step: "any", placeholder: null }))) : null;
      const status = columns.status ? choice("status", "Status", [["", "status"], ...["scored", "empty", "failed"].map((one) =>
        [one, `${one} (${count((at) => columns.status[at] === one)})`])]) : null;
      const box = (key) => el("label", { class: "check" }, el("input", { type: "checkbox", name: "column", value: key, onchange: pick }), shown.get(key).name);
      const sorts = [...shown].filter(([key, one]) => one.value && !["position", "case"].includes(key)).map(([key, one]) =>
        [`${one.down ? "-" : ""}${key}`, key === "grave" ? "gravest first" : `by ${one.name}`]).map(([key, text]) => [key === usualSort ? "" : key, text]);
      return el("form", { class: "tools", role: "search", "aria-label": "Filter cases", onsubmit: (event) => event.preventDefault() },
        el("select", { name: "sort", "aria-label": "Order", onchange: set("sort") }, [...sorts, ["position", "as in the input"], ["other", "other order"]].map(([value, text]) => el("option", { value, hidden: value === "other" }, text))),
        options.search ? input("q", "search words") : null,
        outcomes, tiers, input("finding", "finding", { list: "known-findings" }),
        el("datalist", { id: "known-findings" }, columns.labels.map((label) => el("option", { value: label }))),
        groups.slice(0, 1).map(group),
        el("details", { class: "left" }, el("summary", {}, "+ filter"), el("div", { class: "menu" }, input("id", "part of an id"), groups.slice(1).map(group), status, range)),
        el("details", { class: "space" }, el("summary", {}, "columns"), el("div", { class: "menu" }, [...shown.keys()].filter((key) => key !== "case").map(box))),
        el("details", {}, el("summary", {}, "this view"), el("div", { class: "menu" },
          el("a", { class: "here", href: "#" }, "Link to this view"),
          el("button", { type: "button", onclick: () => kgs.download(`${options.name}.csv`, "text/csv", kgs.csv(table())) }, "CSV of these cases"),
          el("button", { type: "button", onclick: () => kgs.download(`${options.name}.json`, "application/json", JSON.stringify(records(), null, 1)) }, "JSON of these cases"),
          options.print ? el("button", { type: "button", onclick: options.print }, "Print these cases in full") : null,
          el("span", { class: "quiet", role: "status", id: "view-note" }))));
    }

    function pick() {
      const chosen = ["case", ...[...fields.querySelectorAll("[name=column]:checked")].map((one) => one.value)];
      kgs.state.go({ cols: chosen.join() === usual().join() ? null : chosen.slice(1).join() || "none" });
    }

    function chosenColumns(state) {
      const wanted = state.get("cols");
      return wanted === null ? usual().filter((key) => shown.has(key)) : ["case", ...wanted.split(",").filter((key) => key !== "case" && shown.has(key))];
    }

    // ---- finding and sorting ----
    function matches(state) {
      const value = (name) => state.get(name) || "";
      const labels = wantedLabels(value("finding").toLowerCase());
      const [denial, outcome] = value("outcome").startsWith("no-") ? [true, value("outcome").slice(3)] : [false, value("outcome")];
      const tier = Number(value("tier"));
      const kinds = outcome === "lost" ? KINDS.slice(0, 3) : outcome ? [outcome] : KINDS;
      const bound = (name, none) => (value(name) === "" ? none : Number(value(name)));
      const [low, high] = [bound("low", -Infinity), bound("high", Infinity)];
      const ranged = value("low") !== "" || value("high") !== "";
      const scores = columns.scores[metrics[0]];
      const chosen = groups.filter((name) => value(`f.${name}`)).map((name) => [columns.fields[name], value(`f.${name}`).slice(1)]);
      const id = value("id").toLowerCase();
      return (at) => {
        if (holding.positions && !holding.positions.has(at)) return false;
        if (id && !lowered.ids[at].includes(id)) return false;
        if (value("status") && columns.status[at] !== value("status")) return false;
        if (chosen.some(([values, wanted]) => values[at] !== wanted)) return false;
        if (ranged && (scores[at] === null || scores[at] < low || scores[at] > high)) return false;
        if (!labels && !outcome) return !tier || worst[at]?.tier === tier;
        return items[at].some((one) => one.denial === denial && kinds.includes(one.kind) && (!labels || labels.has(one.label)) && (!tier || grave(one) === tier));
      };
    }

    function wantedLabels(wanted) {
      if (!wanted) return null;
      const exact = lowered.labels.indexOf(wanted);
      return new Set(exact >= 0 ? [exact] : lowered.labels.flatMap((label, n) => (label.includes(wanted) ? [n] : [])));
    }

    function sorting(state) {
      const wanted = state.get("sort") || usualSort;
      const key = wanted.replace(/^-/, "");
      return shown.get(key)?.value ? { key, down: wanted.startsWith("-") } : { key: "grave", down: true };
    }

    function sorted(positions, { key, down }) {
      const value = shown.get(key).value;
      const sign = down ? -1 : 1;
      const first = metrics[0] ? columns.scores[metrics[0]] : null;
      const worse = options.metrics[metrics[0]]?.higher_is_better === false ? -1 : 1;
      const values = new Map(positions.map((at) => [at, value(at)]));
      // What has no value stands last in either direction; ties of gravity stand worst score first.
      return positions.sort((a, b) => {
        const [one, other] = [values.get(a), values.get(b)];
        if (one === null || other === null) return (one === null) - (other === null) || a - b;
        if (one !== other) return one < other ? -sign : sign;
        return (key === "grave" && first && first[a] !== null && first[b] !== null ? worse * (first[a] - first[b]) : 0) || a - b;
      });
    }

    // ---- showing ----
    async function update() {
      const state = kgs.state.get();
      const words = state.get("q") || "";
      if (words !== holding.words) {
        holding = { words, positions: null };
        if (words && options.search) {
          try {
            const positions = await options.search(words);
            if (holding.words !== words) return;
            holding.positions = new Set(positions);
          } catch (error) {
            return kgs.problem(place, error);
          }
        }
      }
      show(state);
    }

    function show(state) {
      const sort = sorting(state);
      self.order = sorted(all.filter(matches(state)), sort);
      const pages = Math.max(1, Math.ceil(self.order.length / PAGE));
      const page = Math.min(pages, Math.max(1, Number(state.get("page")) || 1));
      const keys = chosenColumns(state);
      refill(state, keys);
      chips(state);
      const mine = self.order.slice((page - 1) * PAGE, page * PAGE);
      place.replaceChildren(mine.length ? el("table", { class: "cases" }, header(keys, sort), el("tbody", {}, mine.map((at) => row(at, keys)))) : nothing(state));
      pager.replaceChildren(...pages > 1 ? turns(page, pages) : []);
      part.textContent = self.order.length > mine.length ? `A part: cases ${kgs.count((page - 1) * PAGE + 1)} to ${kgs.count((page - 1) * PAGE + mine.length)} of ${kgs.count(self.order.length)}.` : "";
    }

    function refill(state, keys) {
      for (const name of names) {
        const field = fields.elements[name];
        if (!field) continue;
        if (field !== document.activeElement || field.tagName === "SELECT") field.value = state.get(name) || "";
        field.classList.toggle("on", Boolean(state.get(name)));
      }
      const order = fields.elements.sort;
      order.value = state.get("sort") || "";
      if (order.selectedIndex < 0) order.value = "other";
      for (const one of fields.querySelectorAll("[name=column]")) one.checked = keys.includes(one.value);
      fields.querySelector(".here").href = location.href;
    }

    /** What the filter says, in words: one entry a filter. */
    function filtered(state) {
      const said = { q: "words", id: "id", outcome: "", finding: "", tier: "gravest", status: "", low: `${metrics[0]} ≥`, high: `${metrics[0]} ≤` };
      return names.filter((name) => state.get(name)).map((name) => {
        const value = state.get(name);
        if (name.startsWith("f.")) return [name, `${name.slice(2)} ${value.slice(1) || "(none)"}`];
        if (name === "tier") return [name, kgs.TIERS[value] || value];
        return [name, `${said[name]} ${value}`.trim().replace(/^no-/, "denial ")];
      });
    }

    function words() {
      return filtered(kgs.state.get()).map(([, text]) => text).join(", ");
    }

    function chips(state) {
      const total = all.length;
      const active = filtered(state);
      found.replaceChildren(
        el("strong", { role: "status", class: "list-status" }, self.order.length === total ? kgs.plural(total, "case") : `${kgs.count(self.order.length)} of ${kgs.plural(total, "case")}`),
        ...active.map(([name, text]) => el("button", { type: "button", class: "chip", "aria-label": `Remove the filter: ${text}`, onclick: () => clear([name]) }, `${text} ×`)),
        active.length > 1 ? el("button", { type: "button", class: "plain link", onclick: () => clear(names) }, "Clear all") : "");
    }

    function clear(which) {
      for (const name of which) if (fields.elements[name]) fields.elements[name].value = "";
      kgs.state.go({ ...Object.fromEntries(which.map((name) => [name, null])), page: null });
      place.focus({ preventScroll: true });
    }

    function nothing(state) {
      if (!all.length) return el("p", { class: "empty-list" }, "There is no case here.");
      return el("div", { class: "empty-list" }, el("p", {}, "No case fits all of these filters. Take one away:"),
        el("p", {}, filtered(state).map(([name, text]) => [el("button", { type: "button", class: "chip", onclick: () => clear([name]) }, `${text} ×`), " "])),
        el("button", { type: "button", onclick: () => clear(names) }, "Clear all"));
    }

    function header(keys, sort) {
      return el("thead", {}, el("tr", {}, keys.map((key) => {
        const one = shown.get(key);
        const kind = (one.kind || "").split(" ")[0] === "num" ? "num" : null;
        if (!one.value) return el("th", { scope: "col", class: kind }, one.name);
        const on = sort.key === key;
        const down = on ? !sort.down : one.down;
        return el("th", { scope: "col", class: kind, "aria-sort": on ? (sort.down ? "descending" : "ascending") : null },
          el("button", { type: "button", class: "plain sort", title: one.hint, "data-sort": key, onclick: () => resort(key, down) }, one.name,
            el("span", { class: "arrow", "aria-hidden": "true" }, on ? (sort.down ? " ↓" : " ↑") : "")));
      })));
    }

    function resort(key, down) {
      const wanted = `${down ? "-" : ""}${key}`;
      kgs.state.go({ sort: wanted === usualSort ? null : wanted, page: null });
      place.querySelector(`[data-sort="${key}"]`)?.focus();
    }

    function row(at, keys) {
      return el("tr", {}, keys.map((key) => {
        if (key !== "case") return el("td", { class: shown.get(key).kind || null }, shown.get(key).cell(at));
        const id = columns.ids[at] || `case ${at + 1}`;
        return el("th", { scope: "row" }, el("a", { href: kgs.state.with({ case: options.key?.(at) ?? at }), title: id, "data-at": at }, el("span", { class: "case-id" }, shorter(id)),
          columns.first ? el("span", { class: "first" }, columns.first[at]) : null));
      }));
    }

    /** The end of a long id tells cases apart. */
    function shorter(id) {
      return id.length > 34 ? `${id.slice(0, 10)}…${id.slice(-22)}` : id;
    }

    function turns(page, pages) {
      const go = (to, name) => el("button", { type: "button", disabled: to < 1 || to > pages, onclick: () => { kgs.state.go({ page: to > 1 ? to : null }); found.scrollIntoView({ block: "nearest" }); } }, name);
      return [go(page - 1, "Previous"), el("label", { class: "check" }, "page", el("input", { type: "number", min: 1, max: pages, value: page, "aria-label": `Page, 1 to ${pages}`,
        onchange: (event) => kgs.state.go({ page: Math.min(pages, Math.max(1, Math.round(Number(event.target.value)) || 1)) }) }), `of ${kgs.count(pages)}`), go(page + 1, "Next")];
    }

    // ---- out of the page ----
    function records() {
      return self.order.map((at) => {
        const lost = items[at].filter(grave);
        return { position: at, id: columns.ids[at], ...(columns.status ? { status: columns.status[at] } : {}), ...Object.fromEntries(metrics.map((name) => [name, columns.scores[name][at]])),
          gravest: lost[0] ? kgs.TIERS[lost[0].tier] : null, error: lost[0] ? `${lost[0].kind} ${columns.labels[lost[0].label]}` : null, errors: lost.length,
          ...(gone ? {} : Object.fromEntries(KINDS.map((kind) => [kind, tally(at)[kind] || 0]))), ...(columns.corrections ? { corrections: columns.corrections[at] } : {}),
          ...Object.fromEntries(groups.map((name) => [name, columns.fields[name][at]])) };
      });
    }

    function table() {
      const rows = records();
      return rows.length ? [Object.keys(rows[0]), ...rows.map((one) => Object.values(one))] : [];
    }
  };
})();
