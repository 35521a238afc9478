"use strict";
// Two pasted reports: scored again when something changes, with what changed in the scores.
(() => {
  const { el, byId, number } = kgs;
  const form = byId("trying");
  const status = byId("trial-status");
  let before = null;
  let order = 0;

  form.addEventListener("submit", (event) => { event.preventDefault(); score(); });
  form.addEventListener("input", kgs.later(600, () => form.elements.live.checked && score()));
  score();

  async function score() {
    const mine = ++order;
    const metrics = [...form.querySelectorAll("[name=metric]:checked")].map((one) => one.value);
    const asked = { reference: form.elements.reference.value, candidate: form.elements.candidate.value, profile: form.elements.profile.value, metrics };
    status.textContent = "Scoring …";
    try {
      const view = await kgs.ask("/api/score", asked);
      if (mine !== order) return;
      byId("trial").replaceChildren(kgs.makeCase(view, { concept: (id) => `/ontology#${encodeURIComponent(id)}` }).element);
      status.textContent = told(view);
      before = Object.fromEntries(view.scores.map((one) => [one.metric, one.value]));
    } catch (error) {
      if (mine !== order) return;
      status.textContent = "";
      kgs.problem(byId("trial"), error);
    }
  }

  /** What the scores are now, and what they were before the last change. */
  function told(view) {
    const words = view.scores.map((one) => {
      const was = before?.[one.metric];
      const moved = was !== undefined && was !== one.value ? ` (was ${number(was)})` : "";
      return `${one.metric} ${number(one.value)}${moved}`;
    });
    return words.join(" · ");
  }
})();
