"use strict";
// The source of a run: the API.
(() => {
  const meta = kgs.data("meta");
  const base = `/api/runs/${encodeURIComponent(meta.run)}`;
  kgs.openBook({
    columns: () => kgs.ask(`${base}/columns`),
    view: (position) => kgs.ask(`${base}/cases/${position}`),
  }, { ...meta, concept: (id) => `/ontology#${encodeURIComponent(id)}` });
})();
