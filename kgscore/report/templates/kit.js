"use strict";
// What every page shares: elements are made here and nowhere from text, so nothing that a report holds can become markup.
const kgs = {};

kgs.VERDICTS = {
  contradicted: { name: "Contradicted", mark: "✗", says: "both cannot be true" },
  missed: { name: "Missed", mark: "−", says: "the reference says it, the candidate does not" },
  invented: { name: "Invented", mark: "+", says: "the candidate says it, the reference does not" },
  partial: { name: "Partial", mark: "≈", says: "agrees in part" },
  agreed: { name: "Agreed", mark: "✓", says: "both say it" },
  shared: { name: "Related", mark: "·", says: "related; the credit went to another finding" },
};
kgs.SEVERITY = { 1: "not actionable", 2: "actionable", 3: "urgent", 4: "emergent" };

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

kgs.byId = (id) => document.getElementById(id);

/** Three decimals for a score, as in every table of kgscore; a dash where there is none. */
kgs.number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits).replace(/^-0\.0+$/, "0"));

kgs.count = (value) => value.toLocaleString("en-US");

kgs.plural = (count, one, many) => `${kgs.count(count)} ${count === 1 ? one : many || `${one}s`}`;

kgs.mark = function (verdict) {
  return kgs.el("span", { class: `mark v-${verdict}`, "aria-hidden": "true" }, kgs.VERDICTS[verdict].mark);
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
kgs.ask = async function (address, body) {
  const answer = await fetch(address, body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  if (answer.ok) return answer.json();
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.error || `The server answered ${answer.status}.`);
};
