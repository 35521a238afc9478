"use strict";
// The source of a run, and of two that are compared: the API.
(() => {
  const meta = kgs.data("meta");
  const at = (run) => `/api/runs/${encodeURIComponent(run)}`;
  const linked = { ...meta, concept: (id) => `/ontology#${encodeURIComponent(id)}` };
  if (meta.a) {
    kgs.openContrast({
      columns: () => kgs.ask(`/api/compare/columns?${new URLSearchParams({ a: meta.a, b: meta.b })}`),
      view: (one, other) => Promise.all([kgs.ask(`${at(meta.a)}/cases/${one}`), kgs.ask(`${at(meta.b)}/cases/${other}`)]),
    }, linked);
    return;
  }
  kgs.openBook({
    search: async (words) => (await kgs.ask(`${at(meta.run)}/search?q=${encodeURIComponent(words)}`)).positions,
    columns: () => kgs.ask(`${at(meta.run)}/columns`),
    view: (position) => kgs.ask(`${at(meta.run)}/cases/${position}`),
  }, linked);
})();
