"use strict";
// One case: both reports side by side, findings marked by verdict, each verdict with its proof and its cost.
(() => {
  const { el, number } = kgs;
  const ORDER = Object.keys(kgs.VERDICTS);
  const LETTER = { reference: "R", candidate: "C" };
  const OTHER = { reference: "candidate", candidate: "reference" };
  const worst = (names) => names.reduce((one, other) => (ORDER.indexOf(other) < ORDER.indexOf(one) ? other : one));

  /** Cut a report where a finding or an unknown word begins or ends. */
  function segments(report) {
    const points = Array.from(report.text);
    const cuts = new Set([0, points.length]);
    const spans = [...report.findings.map((one) => [one.start, one.end]), ...report.unlinked];
    spans.flat().forEach((at) => cuts.add(Math.min(Math.max(at, 0), points.length)));
    const at = [...cuts].sort((one, other) => one - other);
    return at.slice(0, -1).map((start, index) => {
      const end = at[index + 1];
      const covers = (one) => one[0] < end && one[1] > start;
      const numbers = report.findings.flatMap((one, n) => (covers([one.start, one.end]) ? [n] : []));
      return { start, end, numbers, text: points.slice(start, end).join(""), unknown: report.unlinked.some(covers) };
    });
  }

  class Case {
    constructor(view, options) {
      this.view = view;
      this.options = options;
      this.marks = { reference: new Map(), candidate: new Map() };
      this.items = this.makeItems();
      this.inspector = el("aside", { class: "inspector", "aria-label": "Selected finding", hidden: true });
      this.element = el(
        "article",
        { class: "case" },
        this.head(),
        el("div", { class: "reports" }, this.report("reference", "Reference"), this.report("candidate", "Candidate")),
        options.still ? null : this.inspector,
        this.findings(),
        this.corrections(),
        this.sums(),
      );
    }

    /** What there is to say: every match and contradiction, and every finding that has neither. */
    makeItems() {
      const { view } = this;
      const items = view.matches.map((match) => ({ ...match }));
      for (const side of ["reference", "candidate"]) {
        view[side].findings.forEach((finding, n) => {
          if (finding.verdict === "missed" || finding.verdict === "invented") {
            items.push({ verdict: finding.verdict, [side]: n, proof: [], cost: finding.cost, credit: null });
          }
        });
      }
      items.sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || this.severity(b) - this.severity(a));
      items.forEach((item, index) => (item.number = index));
      return items;
    }

    severity(item) {
      return Math.max(...["reference", "candidate"].map((side) => this.finding(side, item[side])?.severity || 0));
    }

    finding(side, number) {
      return number === undefined ? undefined : this.view[side].findings[number];
    }

    head() {
      const { view } = this;
      const scores = view.scores.map((score) =>
        el("div", { class: "figure" }, el("dt", {}, score.metric), el("dd", {}, number(score.value))),
      );
      return el(
        "header",
        { class: "case-head" },
        el("h2", { tabindex: "-1", id: this.options.still ? null : "case-title" }, view.id || `case ${view.position + 1}`),
        scores.length ? el("dl", { class: "figures" }, scores) : null,
        view.reason ? el("p", { class: "reason" }, el("strong", {}, view.status), ` — ${view.reason}`) : null,
      );
    }

    report(side, name) {
      const report = this.view[side];
      const body = el("div", { class: "report-text" });
      const ending = new Map();
      if (!report.text.trim()) body.append(el("p", { class: "quiet" }, "(no text)"));
      for (const piece of segments(report)) {
        const done = report.findings.flatMap((one, n) => (one.end === piece.end && one.end > one.start ? [n] : []));
        ending.set(piece.end, done);
        if (!piece.numbers.length) {
          const unknown = piece.unknown ? { class: "unknown", title: "not understood: no concept covers these words" } : null;
          body.append(unknown ? el("span", unknown, piece.text) : piece.text);
        } else {
          body.append(this.mark(side, piece));
        }
        if (done.length && piece.numbers.length) body.append(this.tags(side, done));
      }
      const count = report.findings.length;
      return el(
        "section",
        { class: "report", "aria-label": `${name} report` },
        el("h3", {}, name, " ", el("span", { class: "quiet" }, report.read ? kgs.plural(count, "finding") : "not read")),
        body,
      );
    }

    tags(side, numbers) {
      const verdict = worst(numbers.map((n) => this.view[side].findings[n].verdict));
      return el("sup", { class: `tag v-${verdict}`, "aria-hidden": "true" }, numbers.map((n) => n + 1).join(" "));
    }

    mark(side, piece) {
      const findings = piece.numbers.map((n) => this.view[side].findings[n]);
      const verdict = worst(findings.map((one) => one.verdict));
      const known = this.marks[side].get(piece.numbers.join()) !== undefined;
      const said = piece.numbers.map((n, i) => `${LETTER[side]}${n + 1} ${kgs.VERDICTS[findings[i].verdict].name.toLowerCase()}`);
      const mark = el(
        "span",
        {
          class: `finding v-${verdict}`,
          role: this.options.still ? null : "button",
          tabindex: this.options.still || known ? null : "0",
          "data-side": side,
          "data-findings": piece.numbers.join(" "),
          onclick: () => this.select(side, piece.numbers),
          onkeydown: (event) => this.keyed(event, side, piece.numbers),
          onmouseenter: () => this.trace(side, piece.numbers, true),
          onmouseleave: () => this.trace(side, piece.numbers, false),
          onfocus: () => this.trace(side, piece.numbers, true),
          onblur: () => this.trace(side, piece.numbers, false),
        },
        piece.text,
        el("span", { class: "unseen" }, ` (${said.join(", ")})`),
      );
      this.marks[side].set(piece.numbers.join(), mark);
      piece.numbers.forEach((n) => this.put(side, n, mark));
      return mark;
    }

    put(side, n, mark) {
      const key = `#${n}`;
      this.marks[side].set(key, [...(this.marks[side].get(key) || []), mark]);
    }

    marksOf(side, n) {
      return this.marks[side].get(`#${n}`) || [];
    }

    /** The findings of the other report that these stand in a match or contradiction with. */
    partners(side, numbers) {
      const found = this.view.matches.filter((match) => numbers.includes(match[side])).map((match) => match[OTHER[side]]);
      return [...new Set(found)];
    }

    trace(side, numbers, on) {
      const own = numbers.flatMap((n) => this.marksOf(side, n));
      const theirs = this.partners(side, numbers).flatMap((n) => this.marksOf(OTHER[side], n));
      [...own, ...theirs].forEach((mark) => mark.classList.toggle("traced", on));
    }

    keyed(event, side, numbers) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.select(side, numbers);
      }
    }

    select(side, numbers) {
      if (this.options.still) return;
      this.from = [side, numbers];
      const items = this.items.filter((item) => numbers.includes(item[side]));
      this.choose({ [side]: numbers, [OTHER[side]]: this.partners(side, numbers) });
      this.inspect(items);
    }

    choose(chosen) {
      this.element.querySelectorAll(".finding.chosen, .finding.lit").forEach((mark) => mark.classList.remove("chosen", "lit"));
      for (const side of ["reference", "candidate"]) {
        (chosen[side] || []).flatMap((n) => this.marksOf(side, n)).forEach((mark) => mark.classList.add("chosen"));
      }
    }

    inspect(items) {
      const close = el("button", { type: "button", class: "plain close", onclick: () => this.close() }, "Close");
      const cards = items.map((item) => this.card(item, true));
      const none = el("p", { class: "quiet" }, "Not counted: related to nothing in the other report, or left out by the profile.");
      this.inspector.replaceChildren(el("div", { class: "inspector-head" }, close), ...(cards.length ? cards : [none]));
      this.inspector.hidden = false;
      kgs.announce(items.map((item) => this.spoken(item)).join(" "));
    }

    /** Close the inspector; the reader is put back on the words that opened it. */
    close() {
      const open = !this.inspector.hidden;
      this.inspector.hidden = true;
      this.choose({});
      if (open && this.from) this.marksOf(this.from[0], this.from[1][0])[0]?.focus();
      return open;
    }

    spoken(item) {
      const sides = ["reference", "candidate"].flatMap((side) => {
        const finding = this.finding(side, item[side]);
        return finding ? [`${side}: ${finding.says}`] : [];
      });
      return `${kgs.VERDICTS[item.verdict].name}. ${sides.join("; ")}.`;
    }

    findings() {
      if (!this.view.reference.read || !this.view.candidate.read) return null;
      const groups = ORDER.map((verdict) => [verdict, this.items.filter((item) => item.verdict === verdict)]);
      return el(
        "section",
        { class: "outcomes" },
        el("h3", {}, "Findings"),
        groups.filter(([, items]) => items.length).map(([verdict, items]) =>
          el(
            "section",
            { class: "group" },
            el("h4", {}, kgs.mark(verdict), `${kgs.VERDICTS[verdict].name} (${items.length})`, " ",
              el("span", { class: "quiet" }, kgs.VERDICTS[verdict].says)),
            items.map((item) => this.card(item, Boolean(this.options.still))),
          ),
        ),
      );
    }

    card(item, open) {
      const quotes = ["reference", "candidate"].flatMap((side) => {
        const finding = this.finding(side, item[side]);
        return finding ? [el("span", { class: "said" }, el("b", {}, `${LETTER[side]}${item[side] + 1}`), ` “${finding.text}”`)] : [];
      });
      const body = el("div", { class: "card-body" }, this.readings(item), this.amounts(item), this.proof(item));
      const details = el(
        "details",
        { class: `card v-${item.verdict}`, open },
        el("summary", {}, kgs.mark(item.verdict), el("span", { class: "verdict" }, kgs.VERDICTS[item.verdict].name), quotes,
          el("span", { class: "amount" }, this.short(item))),
        body,
      );
      details.addEventListener("toggle", () => details.open && !details.closest(".inspector") && this.chooseItem(item));
      return details;
    }

    chooseItem(item) {
      this.choose(Object.fromEntries(["reference", "candidate"].map((side) => [side, item[side] === undefined ? [] : [item[side]]])));
    }

    short(item) {
      if (item.verdict === "agreed" || item.verdict === "partial") return `credit ${number(item.flow)}`;
      const cost = this.costs(item).reduce((sum, [, value]) => sum + value, 0);
      return cost ? `costs ${number(cost)}` : "";
    }

    costs(item) {
      return ["reference", "candidate"].flatMap((side) => {
        const finding = this.finding(side, item[side]);
        const lost = finding && ["contradicted", "missed", "invented"].includes(finding.verdict) && finding.cost !== null;
        return lost && item.verdict !== "shared" ? [[`${LETTER[side]}${item[side] + 1}`, finding.cost]] : [];
      });
    }

    readings(item) {
      const rows = ["reference", "candidate"].flatMap((side) => {
        const finding = this.finding(side, item[side]);
        if (!finding) return [];
        const grave = finding.status === "present" && finding.severity >= 3 ? ` · ${kgs.SEVERITY[finding.severity]}` : "";
        const name = this.options.concept && finding.concept
          ? el("a", { href: this.options.concept(finding.concept) }, finding.says) : finding.says;
        return [el("dt", {}, side === "reference" ? "Reference" : "Candidate"), el("dd", {}, name, grave)];
      });
      return el("dl", { class: "rows" }, rows);
    }

    amounts(item) {
      const rows = [];
      const metric = this.view.priced;
      if (item.words) rows.push(["Agreement", item.words]);
      if (item.verdict === "agreed" || item.verdict === "partial") {
        const shared = Math.abs(item.flow - item.weight) > 1e-9 ? " (shared with another finding)" : "";
        rows.push(["Credit", `${number(item.flow)} of ${number(item.weight)}${shared}${
          item.credit === null ? "" : `; gives ${number(item.credit)} of ${metric}`}`]);
        if (item.cost) rows.push(["Cost", `${number(item.cost)} of ${metric}`]);
      } else {
        const costs = this.costs(item);
        const words = costs.map(([tag, cost]) => `${tag} costs ${number(cost)}`).join(", ");
        rows.push(["Cost", costs.length ? `${words} of ${metric}` : metric ? `nothing in ${metric}` : "not known"]);
      }
      return el("dl", { class: "rows" }, rows.map(([name, words]) => [el("dt", {}, name), el("dd", {}, words)]));
    }

    proof(item) {
      const lost = { missed: "No finding of the candidate agrees with it.", invented: "No finding of the reference agrees with it." };
      const steps = item.proof.filter((step) => step);
      if (!steps.length && lost[item.verdict]) steps.push(lost[item.verdict]);
      if (!steps.length) return null;
      return el("div", { class: "proof" }, el("h5", {}, "Proof"), el("ol", {}, steps.map((step) => el("li", {}, step))));
    }

    corrections() {
      const { corrections } = this.view;
      if (!corrections.length) return null;
      const total = corrections.reduce((sum, one) => sum + one.severity, 0);
      return el(
        "section",
        { class: "corrections" },
        el("h3", {}, `Corrections (${corrections.length})`, " ", el("span", { class: "quiet" }, `severities add up to ${total}`)),
        el("ol", {}, corrections.map((one) => this.correction(one))),
      );
    }

    correction(one) {
      const proof = one.proof.filter((step) => step);
      return el(
        "li",
        { class: "correction" },
        el("p", { class: "correction-head" },
          el("span", { class: `severity s${one.severity}` }, `${one.severity} ${kgs.SEVERITY[one.severity]}`),
          el("strong", {}, one.action), one.comment),
        one.old_text ? el("p", {}, el("del", {}, one.old_text)) : null,
        one.new_text ? el("p", {}, el("ins", {}, one.new_text)) : null,
        proof.length ? el("details", { open: Boolean(this.options.still) }, el("summary", {}, "Proof"),
          el("ol", {}, proof.map((step) => el("li", {}, step)))) : null,
      );
    }

    sums() {
      if (!this.view.scores.length) return null;
      return el(
        "section",
        { class: "sums" },
        el("h3", {}, "How the scores add up"),
        this.view.scores.map((score, index) =>
          el("details", { open: index === 0 && score.value !== null || Boolean(this.options.still) },
            el("summary", {}, el("b", {}, score.metric), ` ${number(score.value)}`),
            score.value === null ? el("p", { class: "reason" }, `no score (${score.status}): ${score.reason}`)
              : el("pre", { class: "sum", tabindex: "0", role: "group", "aria-label": `Sum of ${score.metric}` }, score.lines.join("\n")),
            score.pieces.length ? this.pieces(score) : null),
        ),
      );
    }

    pieces(score) {
      const rows = score.pieces.slice().sort((a, b) => b.cost - a.cost || b.credit - a.credit);
      const amount = (value) => el("td", { class: "num" }, value ? number(value) : "");
      const head = ["Outcome", "Credit", "Cost", "What"].map((name) => el("th", { scope: "col" }, name));
      return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `What ${score.metric} is made of` },
        el("table", { class: "pieces" }, el("thead", {}, el("tr", {}, head)),
          el("tbody", {}, rows.map((one) => el("tr", {},
            el("td", {}, one.kind === "matched" ? "agreed" : one.kind), amount(one.credit), amount(one.cost),
            el("td", {}, this.place(one), one.because.filter((step) => step).map((step) => el("div", { class: "quiet" }, step))))))));
    }

    /** What a piece of a score is about; pressing it lights up its words in both reports. */
    place(piece) {
      if (this.options.still || (!piece.reference && !piece.candidate)) return piece.what;
      return el("button", { type: "button", class: "plain link", onclick: () => this.light(piece) }, piece.what);
    }

    light(piece) {
      this.choose({});
      for (const side of ["reference", "candidate"]) {
        if (!piece[side]) continue;
        this.view[side].findings.forEach((one, n) => {
          if (one.start < piece[side][1] && one.end > piece[side][0]) this.marksOf(side, n).forEach((mark) => mark.classList.add("lit"));
        });
      }
      this.element.querySelector(".finding.lit")?.scrollIntoView({ block: "center", behavior: "smooth" });
    }
  }

  /** Return a case made ready; `still` makes it whole and without switches, for paper. */
  kgs.makeCase = (view, options = {}) => new Case(view, options);
})();
