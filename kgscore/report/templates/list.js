"use strict";
// The list of cases: sorted, filtered and cut into pages here, over columns that hold every case.
(() => {
  const { el, number } = kgs;
  const COUNTED = ["contradicted", "missed", "invented", "partial", "agreed"];
  const PAGE = 50;

  /** Fields that filter, with what they hold when they do not. */
  const BLANK = { words: "", text: "", verdict: "", finding: "", status: "", low: "", high: "", severity: "" };

  class CaseList {
    constructor(columns, options) {
      this.columns = columns;
      this.options = options;
      this.metrics = Object.keys(columns.scores);
      this.groups = Object.keys(columns.fields);
      this.names = [...Object.keys(BLANK), ...this.groups.map((name) => `field:${name}`)];
      this.filter = { ...BLANK };
      this.sort = { key: this.metrics[0] ? `score:${this.metrics[0]}` : "position", down: this.worstFirst(this.metrics[0]) };
      this.page = 0;
      this.holding = null;
      this.labels = columns.labels.map((label) => label.toLowerCase());
      this.ids = columns.ids.map((id) => id.toLowerCase());
      this.status = el("p", { class: "list-status", role: "status" });
      this.table = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cases" });
      this.pager = el("nav", { class: "pager", "aria-label": "Pages of cases" });
      this.element = el("div", { class: "case-list" }, this.form(), this.status, this.table, this.pager);
      this.update();
    }

    worstFirst(metric) {
      return metric ? !this.options.metrics[metric]?.higher_is_better : false;
    }

    // ---- filters ----
    form() {
      const change = kgs.later(120, () => this.read());
      const option = ([value, name]) => el("option", { value }, name);
      const select = (name, label, options) =>
        el("label", {}, label, el("select", { name, onchange: () => this.read() }, options.map(option)));
      const known = el("datalist", { id: "known-findings" }, this.columns.labels.map((label) => el("option", { value: label })));
      const input = (name, label, more = {}) => el("label", {}, label, el("input", { name, oninput: change, ...more }));
      const groups = Object.entries(this.columns.fields).map(([name, values]) =>
        select(`field:${name}`, name, [["", "any"], ...[...new Set(values)].sort().map((value) => [`=${value}`, value || "(none)"])]));
      const metric = this.metrics[0];
      const range = metric ? el("fieldset", {}, el("legend", {}, `${metric} from – to`),
        ["low", "high"].map((name) => el("input", {
          name, type: "number", step: "any", oninput: change, "aria-label": `${metric}, ${name === "low" ? "lowest" : "highest"}`,
        }))) : null;
      this.fields = el(
        "form",
        { class: "filters", role: "search", "aria-label": "Filter cases", onsubmit: (event) => event.preventDefault() },
        this.options.search ? input("words", "Words in the reports", { type: "search", placeholder: "apical pneumothorax" }) : null,
        input("text", "Id", { type: "search", placeholder: "part of an id" }),
        select("verdict", "Outcome", [["", "any"], ...COUNTED.map((name) => [name, kgs.VERDICTS[name].name.toLowerCase()])]),
        input("finding", "Finding", { type: "search", list: "known-findings", placeholder: "pneumothorax" }), known,
        select("severity", "Gravest error", [["", "any"], ["4", "emergent"], ["3", "urgent or worse"], ["2", "actionable or worse"]]),
        select("status", "Status", [["", "any"], ["scored", "scored"], ["empty", "empty"], ["failed", "failed"]]),
        groups,
        range,
        el("button", { type: "button", onclick: () => this.show({}) }, "Reset"),
      );
      return this.fields;
    }

    read() {
      for (const name of this.names) this.filter[name] = (this.fields.elements[name]?.value || "").trim();
      this.page = 0;
      if (this.filter.words && this.options.search) this.look(this.filter.words);
      else this.holding = null;
      this.update();
    }

    /** Ask which cases hold all these words in their reports, and show them if nothing else has been asked since. */
    async look(words) {
      try {
        const positions = await this.options.search(words);
        if (words !== this.filter.words) return;
        this.holding = new Set(positions);
        this.update();
      } catch (error) {
        kgs.problem(this.table, error);
      }
    }

    /** Filter by these fields and no others. */
    show(filter) {
      for (const name of this.names) {
        if (this.fields.elements[name]) this.fields.elements[name].value = filter[name] || "";
      }
      this.read();
    }

    /** The positions that the filter leaves, sorted. */
    found() {
      const { columns, filter } = this;
      const text = filter.text.toLowerCase();
      const labels = this.wantedLabels();
      const low = filter.low === "" ? -Infinity : Number(filter.low);
      const high = filter.high === "" ? Infinity : Number(filter.high);
      const ranged = filter.low !== "" || filter.high !== "";
      const scores = this.metrics[0] ? columns.scores[this.metrics[0]] : [];
      const chosen = this.groups.flatMap((name) => {
        const wanted = filter[`field:${name}`];
        return wanted ? [[columns.fields[name], wanted.slice(1)]] : [];
      });
      const keep = (at) => {
        if (this.holding && !this.holding.has(at)) return false;
        if (text && !this.ids[at].includes(text)) return false;
        if (filter.status && columns.status[at] !== filter.status) return false;
        if (chosen.some(([values, value]) => values[at] !== value)) return false;
        if (filter.severity && columns.severity[at] < Number(filter.severity)) return false;
        if (ranged && (scores[at] === null || scores[at] < low || scores[at] > high)) return false;
        if (!labels) return !filter.verdict || columns.counts[filter.verdict][at] > 0;
        const verdicts = filter.verdict ? [filter.verdict] : COUNTED;
        return verdicts.some((verdict) => columns.findings[verdict][at].some((label) => labels.has(label)));
      };
      const found = columns.ids.map((_, at) => at).filter(keep);
      return this.sorted(found);
    }

    wantedLabels() {
      const wanted = this.filter.finding.toLowerCase();
      if (!wanted) return null;
      const exact = this.labels.indexOf(wanted);
      if (exact >= 0) return new Set([exact]);
      return new Set(this.labels.flatMap((label, n) => (label.includes(wanted) ? [n] : [])));
    }

    sorted(found) {
      const { key, down } = this.sort;
      const values = this.values(key);
      const sign = down ? -1 : 1;
      // What has no value stands last in either direction.
      return found.sort((a, b) => {
        const [one, other] = [values[a], values[b]];
        if (one === null || other === null) return (one === null) - (other === null) || a - b;
        return (one < other ? -sign : one > other ? sign : 0) || a - b;
      });
    }

    values(key) {
      const [kind, name] = key.split(":");
      const { columns } = this;
      return { score: () => columns.scores[name], count: () => columns.counts[name], id: () => columns.ids,
        severity: () => columns.severity, position: () => columns.ids.map((_, at) => at) }[kind]();
    }

    // ---- table ----
    update() {
      this.order = this.found();
      const pages = Math.max(1, Math.ceil(this.order.length / PAGE));
      this.page = Math.min(this.page, pages - 1);
      const all = this.columns.ids.length;
      this.status.textContent = this.order.length === all ? `${kgs.plural(all, "case")}`
        : `${kgs.count(this.order.length)} of ${kgs.plural(all, "case")}`;
      const shown = this.order.slice(this.page * PAGE, (this.page + 1) * PAGE);
      this.table.replaceChildren(el("table", { class: "cases" }, this.header(),
        el("tbody", {}, shown.map((at) => this.row(at)))));
      this.pager.replaceChildren(...this.pages(pages));
      this.options.changed?.(this.order);
    }

    header() {
      const heads = [["position", "#"], ["id", "Case"], ...this.metrics.map((name) => [`score:${name}`, name])];
      const sorting = (key, content, name) => {
        const on = this.sort.key === key;
        const direction = on ? (this.sort.down ? "descending" : "ascending") : null;
        return el("th", { scope: "col", "aria-sort": direction, class: key.startsWith("id") ? "" : "num" },
          el("button", { type: "button", class: "plain sort", title: name, onclick: () => this.sortBy(key) }, content,
            el("span", { class: "arrow", "aria-hidden": "true" }, on ? (this.sort.down ? " ↓" : " ↑") : "")));
      };
      return el("thead", {}, el("tr", {},
        heads.map(([key, name]) => sorting(key, name === "#" ? [el("span", { class: "unseen" }, "Position"),
          el("span", { "aria-hidden": "true" }, "#")] : name, name)),
        COUNTED.map((name) => sorting(`count:${name}`, [kgs.mark(name), el("span", { class: "count-name" }, name)],
          kgs.VERDICTS[name].says)),
        sorting("severity", "Gravest", "the gravest finding that was contradicted, missed or invented")));
    }

    sortBy(key) {
      const first = key.startsWith("score:") ? this.worstFirst(key.slice(6)) : key !== "id" && key !== "position";
      this.sort = { key, down: this.sort.key === key ? !this.sort.down : first };
      this.page = 0;
      this.update();
      this.table.querySelector("th[aria-sort] button")?.focus();
    }

    row(at) {
      const { columns } = this;
      const status = columns.status[at];
      const severity = columns.severity[at];
      return el("tr", {},
        el("td", { class: "num quiet" }, String(at + 1)),
        el("th", { scope: "row" }, el("a", { href: this.options.link(at) }, columns.ids[at] || `case ${at + 1}`),
          status === "scored" ? null : el("span", { class: "status-note" }, ` ${status}`)),
        this.metrics.map((name) => el("td", { class: "num score" }, this.bar(name, columns.scores[name][at]))),
        COUNTED.map((name) => {
          const count = columns.counts[name][at];
          return el("td", { class: `num ${count ? `v-${name}` : "none"}` }, String(count));
        }),
        el("td", {}, severity ? el("span", { class: `severity s${severity}` }, kgs.SEVERITY[severity]) : ""));
    }

    /** A score, and for the first metric a bar of how far it is from its lowest to its highest. */
    bar(metric, value) {
      const info = this.options.metrics[metric];
      const high = metric === this.metrics[0] ? info?.high : null;
      if (value === null || high === null || high === undefined) return number(value);
      const share = Math.max(0, Math.min(1, (value - info.low) / (high - info.low || 1)));
      return [number(value), el("span", { class: "bar", "aria-hidden": "true" }, el("i", { style: { width: `${share * 100}%` } }))];
    }

    pages(pages) {
      if (pages < 2) return [];
      const go = (to, name) => el("button", {
        type: "button", disabled: to < 0 || to >= pages, onclick: () => { this.page = to; this.update(); this.status.scrollIntoView({ block: "nearest" }); },
      }, name);
      return [go(this.page - 1, "Previous"), el("span", {}, `page ${this.page + 1} of ${kgs.count(pages)}`), go(this.page + 1, "Next")];
    }
  }

  kgs.makeList = (columns, options) => new CaseList(columns, options);
})();
