"use strict";
// One case: both reports with their findings marked, and beside them what became of each, with its proof and its cost. With two
// candidates of one reference, three reports and what changed.
(() => {
  const { el, number, KINDS } = kgs;
  const ORDER = [...KINDS, "shared"];
  const SIDES = ["reference", "candidate"];
  const ON_PAPER = 9000; // letters on two pages
  const worst = (kinds) => ORDER.find((kind) => kinds.includes(kind));
  const grave = (one) => (one.denial || ORDER.indexOf(one.kind) > 2 ? 0 : one.tier);

  /** Cut a report where a finding begins or ends and, outside of findings, where an unknown word does. */
  function segments(report) {
    const points = Array.from(report.text);
    const cuts = new Set([0, points.length]);
    const spans = [...report.findings.map((one) => [one.start, one.end]), ...report.unlinked];
    spans.flat().forEach((at) => cuts.add(Math.min(Math.max(at, 0), points.length)));
    const at = [...cuts].sort((one, other) => one - other);
    const pieces = [];
    at.slice(0, -1).forEach((start, index) => {
      const end = at[index + 1];
      const covers = (one) => one[0] < end && one[1] > start;
      const numbers = report.findings.flatMap((one, n) => (covers([one.start, one.end]) ? [n] : []));
      const text = points.slice(start, end).join("");
      const before = pieces.at(-1);
      if (numbers.length && before?.numbers.join() === numbers.join()) before.text += text;
      else pieces.push({ start, numbers, text, unknown: report.unlinked.some(covers) });
    });
    return pieces;
  }

  /** A report whose findings can be pressed. `marks` gets the elements of each finding; `told(n)` says what is shown of it. */
  function reportOf(report, { name, note, told, marks, still, pick, trace }) {
    const body = el("div", { class: "report-text" });
    if (!report.text.trim()) body.append(el("p", { class: "quiet" }, "(no text)"));
    const seen = new Set();
    const stops = [];
    for (const piece of segments(report)) {
      if (!piece.numbers.length) {
        body.append(piece.unknown ? el("span", { class: "unknown", title: "not understood: no concept covers these words" }, piece.text) : piece.text);
        continue;
      }
      const said = piece.numbers.map(told);
      const kind = worst(said.map((one) => one.kind));
      const key = piece.numbers.join();
      const again = seen.has(key);
      seen.add(key);
      const begins = piece.numbers.some((n) => report.findings[n].start >= piece.start);
      const sup = begins ? said.find((one) => one.kind === kind).sup : "";
      const mark = el("span", { class: `finding v-${kind}${said.every((one) => one.denial) ? " denial" : ""}`, role: still ? null : "button", tabindex: still || again ? null : stops.length ? "-1" : "0",
        onclick: () => pick(piece.numbers, false, mark), onmouseenter: () => trace?.(piece.numbers, true), onmouseleave: () => trace?.(piece.numbers, false) },
        sup ? el("sup", { "aria-hidden": "true" }, sup) : null, piece.text, el("span", { class: "unseen" }, ` (${said.map((one) => one.words).join(", ")})`));
      if (!still && !again) {
        const at = stops.push(mark) - 1;
        mark.addEventListener("keydown", (event) => keyed(event, at, () => pick(piece.numbers, true, mark)));
      }
      piece.numbers.forEach((n) => marks.set(n, [...(marks.get(n) || []), mark]));
      body.append(mark);
    }
    return el("section", { class: "report tile", "aria-label": `${name} report` }, el("h2", {}, name, note ? ` · ${note}` : ""), body);

    // A report is one stop of the Tab key; the arrows go from finding to finding.
    function keyed(event, at, press) {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const to = event.key === "Home" ? stops[0] : event.key === "End" ? stops.at(-1) : step && stops[at + step];
      if (event.key === "Enter" || event.key === " ") press();
      else if (!to) return;
      else {
        stops.forEach((one) => one.setAttribute("tabindex", one === to ? "0" : "-1"));
        to.focus();
      }
      event.preventDefault();
    }
  }

  function counted(report) {
    if (!report.read) return "not read";
    const denials = report.findings.filter((one) => one.denial).length;
    return kgs.plural(report.findings.length - denials, "finding") + (denials ? `, ${kgs.plural(denials, "denial")}` : "");
  }

  function legend() {
    return el("p", { class: "legend" }, [...KINDS].reverse().map((kind) => el("span", { class: `v-${kind}` }, kgs.mark(kind), kind)), el("span", {}, "thin dashes: a denial (“no …”)"));
  }

  const lit = (element, name, marks) => {
    element.querySelectorAll(`.${name}`).forEach((mark) => mark.classList.remove(name));
    marks.forEach((mark) => mark.classList.add(name));
  };

  /** The pane beside the reports: a list of rows, and below it the proof of the one that was chosen. */
  function makePane(title, groups, still) {
    const proof = el("section", { class: "proof idle", tabindex: "-1", "aria-label": "Proof" }, el("p", { class: "quiet" }, "Press words or a line for the proof."));
    const element = el("aside", { class: "pane tile", "aria-label": title }, el("h2", {}, title), el("div", { class: "outcomes", tabindex: still ? null : "0", role: "group", "aria-label": title }, groups), still ? null : proof);
    return { element, proof };
  }

  function groupOf(name, rows, open) {
    return rows.length ? el("details", { class: "group", open }, el("summary", {}, `${name} (${rows.length})`), el("ul", {}, rows.map((row) => el("li", {}, row)))) : null;
  }

  const stepsOf = (item) => [...item.errors.map(([dimension, major, because]) => `${dimension}${major ? " (major)" : ""}: ${because}`), ...item.proof];

  /** What became of an item of a view, how both SIDES were read, and the steps that prove it. */
  function proofOf(view, item, options = {}) {
    const lost = { missed: "No finding of the candidate agrees with it.", invented: "No finding of the reference agrees with it." };
    const said = SIDES.flatMap((side) => {
      const one = view[side].findings[item[side][0]];
      const name = one && (options.concept && one.concept ? el("a", { href: options.concept(one.concept) }, one.name) : one.name);
      return one ? [el("dt", {}, side === "reference" ? "Reference" : "Candidate"), el("dd", {}, name, one.where ? ` · ${one.where}` : "")] : [];
    });
    const amounts = [item.words,
      item.cost ? `costs ${number(item.cost)} of ${view.priced}` : view.priced && !item.credit ? `costs nothing in ${view.priced}` : "", item.credit ? `gives ${number(item.credit)} of ${view.priced}` : ""].filter(Boolean).join(" · ");
    const steps = stepsOf(item);
    if (!steps.length && lost[item.kind]) steps.push(lost[item.kind]);
    return el("div", { class: `v-${item.kind}` }, el("h3", {}, kgs.mark(item.kind), kgs.VERDICTS[item.kind].name, item.denial ? null : kgs.badge(item.tier)), el("dl", { class: "rows" }, said),
      steps.length ? el("ol", {}, steps.map((step) => el("li", {}, step))) : null, el("p", { class: "quiet" }, amounts));
  }

  /** Set a case so small on paper that it takes two pages: by the letters that are printed of it, never below two thirds. */
  function fitPaper(element) {
    const letters = (found) => [...found].reduce((sum, one) => sum + one.textContent.length, 0);
    const printed = letters([element]) - letters(element.querySelectorAll(".scroll, .unseen, .proof, .legend, .feedback"));
    element.style.setProperty("--paper", Math.max(0.66, Math.min(1, Math.sqrt(ON_PAPER / printed))).toFixed(2));
    return element;
  }

  kgs.parts = { reportOf, makePane, groupOf, proofOf, counted, legend, lit, worst, fitPaper };

  kgs.makeCase = function (view, options = {}) {
    const marks = { reference: new Map(), candidate: new Map() };
    const finding = (side, item) => view[side].findings[item[side][0]];
    const rows = new Map();
    const still = Boolean(options.still);
    let from = null;
    view.items.forEach((item, at) => rows.set(at, rowOf(item, at)));
    const pane = makePane("Findings", groups(), still);
    const element = el("article", { class: "case" }, options.still ? el("h2", {}, view.id || `case ${view.position + 1}`) : null,
      view.reason ? el("p", { class: "reason" }, el("strong", {}, view.status), ` – ${view.reason}`) : null,
      view.verdict ? el("p", { class: "tile verdict-line" }, kgs.badge(Math.max(0, ...view.items.map(grave))), " ", view.verdict) : null,
      el("div", { class: "columns" }, report("reference", "Reference"), report("candidate", "Candidate"), view.items.length ? pane.element : null,
        el("div", { class: "under" }, still ? null : legend(), still || !view.verdict ? null : options.feedback?.panel(view), corrections(), sums())));
    return { element: fitPaper(element), choose, close };

    function report(side, name) {
      return reportOf(view[side], { name, note: counted(view[side]), still, marks: marks[side],
        told: (n) => { const one = view[side].findings[n]; return { kind: one.kind, denial: one.denial, sup: kgs.VERDICTS[one.kind].mark, words: `${one.name}, ${one.kind}` }; },
        pick: (numbers, keyboard, mark) => { const item = view.items.findIndex((one) => numbers.some((n) => one[side].includes(n))); from = mark; item >= 0 ? open(item, keyboard, numbers.map((n) => [side, n])) : alone(side, numbers, keyboard); },
        trace: (numbers, on) => view.items.filter((one) => numbers.some((n) => one[side].includes(n))).flatMap(marksOf).forEach((mark) => mark.classList.toggle("traced", on)) });
    }

    function marksOf(item) {
      return SIDES.flatMap((side) => item[side].flatMap((n) => marks[side].get(n) || []));
    }

    function groups() {
      const mine = (keep) => view.items.flatMap((item, at) => (keep(item) ? [rows.get(at)] : []));
      const names = { missed: "only in the reference", invented: "only in the candidate", minor: "in part", correct: "correct", shared: "related" };
      return [...ORDER.map((kind) => groupOf(kgs.VERDICTS[kind].name, mine((item) => item.kind === kind && !item.denial), still || kind !== "shared")),
        ...Object.entries(names).map(([kind, name]) => groupOf(`Denials ${name}`, mine((item) => item.kind === kind && item.denial), still))];
    }

    function rowOf(item, at) {
      const [one, other] = SIDES.map((side) => finding(side, item));
      const main = !other || one && !one.denial || item.denial ? one || other : other;
      const second = one && other ? (main === one ? other : one) : null;
      const differs = second && (second.name !== main.name || second.where !== main.where);
      const correct = item.kind === "correct" || item.kind === "minor";
      const amount = correct ? (item.credit ? `+${number(item.credit)}` : "") : item.cost ? `−${number(item.cost)}` : "";
      return el(still ? "div" : "button", { class: `row v-${item.kind}`, type: still ? null : "button", onclick: () => { from = rows.get(at); open(at, false); marksOf(item)[0]?.scrollIntoView({ block: "nearest" }); } }, kgs.mark(item.kind),
        el("span", {}, el("b", {}, main?.name ?? item.what), " ", el("span", { class: "quiet" }, main?.where),
          differs ? el("span", { class: "other" }, `${main === one ? "candidate" : "reference"}: ${second.name === main.name ? "" : `${second.name} `}${second.where}`) : null,
          item.errors.length && item.kind !== "missed" && item.kind !== "invented" ? el("span", { class: "other" }, dimensionsOf(item).map(([dimension, major], n) => [n ? " · " : "", major ? el("b", {}, dimension) : dimension])) : null,
          correct || view.corrections.length || !stepsOf(item).length ? null : el("span", { class: "other paper-only" }, stepsOf(item).join(" · "))),
        el("span", {}, item.denial ? null : kgs.badge(item.tier)), el("span", { class: "num" }, amount));
    }

    /** On what an item differs, each dimension once, and whether one of its errors is major. */
    function dimensionsOf(item) {
      const found = new Map();
      item.errors.forEach(([dimension, major]) => found.set(dimension, major || found.get(dimension) || false));
      return [...found];
    }

    function open(at, keyboard, asked) {
      const chosen = asked ? view.items.flatMap((item, n) => (asked.some(([side, one]) => item[side].includes(one)) ? [n] : [])) : [at];
      if (options.chosen) options.chosen(at);
      choose(at, chosen);
      if (keyboard) pane.proof.focus({ preventScroll: true });
      if (matchMedia("(max-width: 68.75rem)").matches) from?.scrollIntoView({ block: "nearest" });
    }

    /** Show the proof of an item, and of others that hold the same words. */
    function choose(at, more = [at]) {
      const items = more.map((n) => view.items[n]).filter(Boolean);
      if (!items.length) return;
      lit(element, "chosen", items.flatMap(marksOf));
      rows.forEach((row, n) => (more.includes(n) ? row.setAttribute("aria-current", "true") : row.removeAttribute("aria-current")));
      const row = rows.get(at);
      if (row.closest("details")) row.closest("details").open = true;
      const list = pane.element.querySelector(".outcomes");
      if (list.scrollHeight > list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 2;
      fill(items[0].kind, items.map((one) => proofOf(view, one, options)));
      kgs.announce(items.map((item) => `${kgs.VERDICTS[item.kind].name}: ${SIDES.map((side) => finding(side, item)).filter(Boolean).map((one) => `${one.name} ${one.where}`).join("; ")}.`).join(" "));
    }

    function alone(side, numbers, keyboard) {
      lit(element, "chosen", numbers.flatMap((n) => marks[side].get(n) || []));
      fill("shared", el("p", {}, "Not counted: related to nothing in the other report, or left out by the profile."));
      if (keyboard) pane.proof.focus({ preventScroll: true });
    }

    function fill(kind, content) {
      pane.proof.className = `proof v-${kind}`;
      pane.proof.replaceChildren(el("button", { type: "button", class: "plain link close unseen-wide", onclick: close }, "Close"), ...[content].flat());
      document.body.classList.add("sheet");
    }

    /** Close the proof; whoever opened it from words or a line is put back there. */
    function close() {
      const was = !pane.proof.classList.contains("idle");
      pane.proof.className = "proof idle";
      pane.proof.replaceChildren(el("p", { class: "quiet" }, "Press words or a line for the proof."));
      lit(element, "chosen", []);
      rows.forEach((row) => row.removeAttribute("aria-current"));
      document.body.classList.remove("sheet");
      if (was) options.chosen?.(null);
      if (was && from) from.focus();
      return was;
    }

    function corrections() {
      if (!view.corrections.length) return null;
      const total = view.corrections.reduce((sum, one) => sum + one.severity, 0);
      return el("details", { class: "tile corrections", open: true }, el("summary", {}, `Corrections (${view.corrections.length})`, " ", el("span", { class: "quiet" }, `severities add up to ${total}`)),
        el("ol", {}, view.corrections.map((one) => el("li", { class: "correction" },
          el("p", { class: "correction-head" }, kgs.badge(one.severity), el("strong", {}, one.action), one.comment),
          one.old_text ? el("p", {}, el("del", {}, one.old_text)) : null, one.new_text ? el("p", {}, el("ins", {}, one.new_text)) : null,
          one.proof.length ? el("details", { open: still }, el("summary", { class: "quiet" }, "proof"), el("ol", {}, one.proof.map((step) => el("li", {}, step)))) : null))));
    }

    function sums() {
      if (!view.scores.length) return null;
      return el("details", { class: "tile sums", open: still }, el("summary", {}, "How the scores add up"), view.scores.map((score) => el("div", { class: "score-sum" },
        el("h3", {}, score.metric, " ", number(score.value)),
        score.value === null ? el("p", { class: "reason" }, `no score (${score.status}): ${score.reason}`)
          : el("pre", { class: "sum", tabindex: still ? null : "0", role: "group", "aria-label": `Sum of ${score.metric}` }, score.lines.join("\n")),
        score.pieces.length ? pieces(score) : null)));
    }

    function pieces(score) {
      const amount = (value) => el("td", { class: "num" }, value ? number(value) : "");
      const spans = (piece) => SIDES.flatMap((side) => (piece[side] ? view[side].findings.flatMap((one, n) => (one.start < piece[side][1] && one.end > piece[side][0] ? marks[side].get(n) || [] : [])) : []));
      const light = (piece) => { lit(element, "lit", spans(piece)); spans(piece)[0]?.scrollIntoView({ block: "center" }); };
      const what = (piece) => (still || !piece.reference && !piece.candidate ? piece.what : el("button", { type: "button", class: "plain link", onclick: () => light(piece) }, piece.what));
      return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `What ${score.metric} is made of` }, el("table", { class: "pieces" },
        el("thead", {}, el("tr", {}, ["outcome", "credit", "cost", "what"].map((name, n) => el("th", { scope: "col", class: n === 1 || n === 2 ? "num" : null }, name)))),
        el("tbody", {}, score.pieces.map((one) => el("tr", {}, el("td", {}, one.kind), amount(one.credit), amount(one.cost),
          el("td", {}, what(one), one.because.map((step) => el("div", { class: "quiet" }, step))))))),
        score.more ? el("p", { class: "quiet" }, score.more) : null);
    }
  };
})();
