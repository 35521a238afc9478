"use strict";
// The source of a run: the API.
(() => {
  const meta = kgs.data("meta");
  const base = `/api/runs/${encodeURIComponent(meta.run)}`;
  kgs.openBook({
    search: async (words) => (await kgs.ask(`${base}/search?q=${encodeURIComponent(words)}`)).positions,
    columns: () => kgs.ask(`${base}/columns`),
    view: (position) => kgs.ask(`${base}/cases/${position}`),
  }, { ...meta, concept: (id) => `/ontology#${encodeURIComponent(id)}` });
})();
