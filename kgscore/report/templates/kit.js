"use strict";
// What every page shares: elements are made here and nowhere from text, so nothing that a report holds can become markup.
const kgs = {};

kgs.VERDICTS = {
  wrong: { name: "Wrong", mark: "✗", says: "both speak of it, and it is not the same" },
  missed: { name: "Missed", mark: "−", says: "the reference says it, the candidate does not" },
  invented: { name: "Invented", mark: "+", says: "the candidate says it, the reference does not" },
  minor: { name: "Minor", mark: "≈", says: "both say it, with small differences" },
  correct: { name: "Correct", mark: "✓", says: "both say it" },
  shared: { name: "Related", mark: "·", says: "related; the credit went to another finding" },
};
kgs.KINDS = ["wrong", "missed", "invented", "minor", "correct"];
kgs.TIERS = { 4: "critical", 3: "urgent", 2: "notable", 1: "routine" };

/** Make an element. Attributes named on… are listeners; null and false are left out; text is always text. */
kgs.el = function (tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([key, one]) => element.style.setProperty(key, one));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
};

kgs.svg = function (tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children.flat());
  return element;
};

kgs.byId = (id) => document.getElementById(id);

/** Three decimals for a score, as in every table of kgscore; a dash where there is none. */
kgs.number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits).replace(/^-0\.0+$/, "0"));

kgs.signed = (value) => (value === null || value === undefined ? "–" : `${value > 0 ? "+" : value < 0 ? "−" : "±"}${kgs.number(Math.abs(value))}`);

kgs.count = (value) => value.toLocaleString("en-US");

kgs.plural = (count, one, many) => `${kgs.count(count)} ${count === 1 ? one : many || `${one}s`}`;

kgs.mark = function (verdict) {
  return kgs.el("span", { class: `mark v-${verdict}`, "aria-hidden": "true" }, kgs.VERDICTS[verdict].mark);
};

kgs.badge = (tier) => (tier > 1 ? kgs.el("span", { class: `tier t${tier}` }, kgs.TIERS[tier]) : null);

/** A strip of outcomes: counts by kind. */
kgs.strip = (counts) => kgs.el("span", { class: "strip", "aria-hidden": "true" }, ["correct", "minor", "missed", "invented", "wrong"]
  .filter((kind) => counts[kind]).map((kind) => kgs.el("i", { class: `v-${kind}`, style: { "flex-grow": counts[kind] } })));

/** The state of a page stands in its address, after the #: what is not there is as at the beginning. */
kgs.state = {
  get: () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : ""),
  /** The address of the state with these changes (empty or null: left out). */
  with(changes) {
    const state = kgs.state.get();
    for (const [name, value] of Object.entries(changes)) value === null || value === "" || value === undefined ? state.delete(name) : state.set(name, value);
    return `#${state}`;
  },
  /** Go to it; "replace" keeps the history as it is. */
  go(changes, replace) {
    const address = kgs.state.with(changes);
    if (address === location.hash || address === "#" && !location.hash) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    dispatchEvent(new Event("kgs:state"));
  },
};

/** Offer a file that is made here. */
kgs.download = function (name, type, text) {
  const link = kgs.el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

/** Rows as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe. */
kgs.csv = function (rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
};

kgs.later = function (wait, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), wait);
  };
};

/** Say something to those who cannot see it change. */
kgs.announce = function (words) {
  const region = kgs.byId("announcer");
  if (region) region.textContent = words;
};

kgs.problem = function (place, error) {
  place.replaceChildren(kgs.el("p", { class: "problem", role: "alert" }, String((error && error.message) || error)));
};

kgs.data = (id) => JSON.parse(kgs.byId(id).textContent);

kgs.spanOf = (points, span) => points.slice(span[0], span[1]).join("");

/** Ask the API: GET, or POST where there is a body. An answer that is no success is an error with its own words. */
kgs.ask = async function (address, body, signal) {
  const answer = await fetch(address, body === undefined ? { signal } : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
  });
  if (answer.ok) return answer.json();
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.error || `The server answered ${answer.status}.`);
};
