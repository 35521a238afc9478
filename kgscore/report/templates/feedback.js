"use strict";
// What a reader thinks of the errors of a case: kept in this browser only, and given out as JSON lines (docs/pages.md, Feedback).
(() => {
  const { el } = kgs;
  const FIELDS = ["id", "by", "kind", "what", "tier", "number", "agree", "note"];

  /** The feedback on a run. `panel(view)` is the form of one case. */
  kgs.makeFeedback = function (name, stamp) {
    const key = `kgscore feedback ${name} ${stamp}`;
    let held = { by: "", lines: [] };
    try {
      held = JSON.parse(localStorage.getItem(key)) || held;
    } catch { /* Where the browser keeps nothing, feedback lasts as long as the page. */ }
    const of = (line) => held.lines.find((one) => one.by === held.by && ["position", "kind", "number"].every((field) => one[field] === line[field]));

    /** Keep a line in place of the one on the same error by the same reader; without a value, take it away. */
    function put(line, change) {
      const old = of(line);
      held.lines = held.lines.filter((one) => one !== old);
      if (change) held.lines.push({ ...line, ...old, ...change, by: held.by });
      save();
    }

    function save() {
      try {
        localStorage.setItem(key, JSON.stringify(held));
      } catch { /* as above */ }
    }

    const text = () => held.lines.map((line) => `${JSON.stringify(Object.fromEntries(FIELDS.filter((field) => line[field] !== undefined).map((field) => [field, line[field]])))}\n`).join("");

    function panel(view) {
      const about = { position: view.position, id: view.id || String(view.position) };
      const errors = view.items.filter((item) => item.number !== null && ["wrong", "missed", "invented"].includes(item.kind))
        .map((item) => ({ ...about, kind: item.kind, what: item.what, tier: item.tier, number: item.number }));
      const body = el("div", {});
      const status = el("span", { class: "quiet" });
      const save = el("button", { type: "button", onclick: () => kgs.download(`${name}-feedback.jsonl`, "application/jsonl", text()) });
      const element = el("details", { class: "tile feedback", open: held.lines.length > 0 }, el("summary", {}, "Feedback ", status),
        el("p", { class: "quiet" }, "Kept in this browser until you delete it; nothing is sent. The file holds ids and the names of findings, no report."),
        el("label", {}, "Your initials ", el("input", { value: held.by, maxlength: 40, size: 8, autocomplete: "off", onchange: (event) => { held.by = event.target.value.trim(); draw(); } })),
        body, el("p", {}, save, " ", el("button", { type: "button", onclick: forget }, "Delete all feedback on this run")));
      draw();
      return element;

      function draw() {
        body.replaceChildren(...errors.map(judged), added(), whole());
        tell();
      }

      function tell() {
        const mine = errors.filter((line) => typeof of(line)?.agree === "boolean").length;
        status.textContent = errors.length ? `${mine} of ${kgs.plural(errors.length, "error")} judged` : "no error to judge";
        save.textContent = `Download feedback (${kgs.plural(held.lines.length, "line")})`;
        save.disabled = !held.lines.length;
      }

      /** One error: whether the reader agrees, and a note. */
      function judged(line) {
        const group = `feedback-${line.position}-${line.number}`;
        const choice = (agree, words) => el("label", { class: "check" }, el("input", { type: "radio", name: group, checked: of(line)?.agree === agree, onchange: () => { put(line, { agree }); tell(); } }), words);
        return el("fieldset", {}, el("legend", {}, `${kgs.VERDICTS[line.kind].name}: ${line.what} (${kgs.TIERS[line.tier]})`), choice(true, "Agree"), choice(false, "Disagree"),
          el("label", {}, "Note ", el("input", { value: of(line)?.note || "", maxlength: 500, onchange: (event) => { put(line, { note: event.target.value.trim() }); tell(); } })));
      }

      /** What the list lacks: the errors that the reader added, and a form for one more. */
      function added() {
        const mine = held.lines.filter((one) => one.kind === "added" && one.by === held.by && one.position === about.position);
        const what = el("input", { maxlength: 200, required: true });
        const tier = el("select", {}, Object.entries(kgs.TIERS).map(([number, word]) => el("option", { value: number, selected: number === "2" }, word)));
        const note = el("input", { maxlength: 500 });
        const add = () => {
          if (!what.value.trim()) return what.focus();
          put({ ...about, kind: "added", number: Math.max(-1, ...mine.map((one) => one.number)) + 1 }, { what: what.value.trim(), tier: Number(tier.value), note: note.value.trim() });
          draw();
          body.querySelector("[data-add] input").focus();
        };
        return el("fieldset", { "data-add": true }, el("legend", {}, "An error that the list lacks"),
          mine.length ? el("ul", {}, mine.map((one) => el("li", {}, `${one.what} (${kgs.TIERS[one.tier]})${one.note ? `: ${one.note}` : ""} `,
            el("button", { type: "button", "aria-label": `Remove ${one.what}`, onclick: () => { put(one, null); draw(); } }, "Remove")))) : null,
          el("label", {}, "Error ", what), el("label", {}, "Severity ", tier), el("label", {}, "Note ", note), el("button", { type: "button", onclick: add }, "Add"));
      }

      function whole() {
        const line = { ...about, kind: "case" };
        return el("label", { class: "check" }, el("input", { type: "checkbox", checked: Boolean(of(line)), onchange: (event) => { put(line, event.target.checked ? {} : null); tell(); } }), "Case judged in full: no other error");
      }

      function forget() {
        if (!confirm("Delete all feedback on this run from this browser?")) return;
        held = { by: held.by, lines: [] };
        localStorage.removeItem(key);
        draw();
      }
    }

    return { panel };
  };
})();
