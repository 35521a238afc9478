"use strict";
// The source of a file: columns and cases stand in it, compressed, and are unpacked when they are asked for.
(() => {
  async function unpack(id) {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("This browser cannot unpack the cases; open the file in one from 2023 or later.");
    }
    const packed = atob(kgs.byId(id).textContent.trim());
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  const meta = kgs.data("meta");
  const opened = new Map();
  const chunk = (number) => {
    if (!opened.has(number)) opened.set(number, unpack(`chunk-${number}`));
    return opened.get(number);
  };
  // The texts are unpacked when somebody searches them, and not before.
  let texts = null;
  const search = async (words) => {
    texts ??= unpack("texts").then((all) => all.map((text) => text.toLowerCase()));
    const wanted = words.toLowerCase().split(/\s+/);
    return (await texts).flatMap((text, at) => (wanted.every((word) => text.includes(word)) ? [at] : []));
  };

  kgs.openBook({
    columns: () => unpack("columns"),
    search: kgs.byId("texts") ? search : null,
    view: async (position) => {
      const views = await chunk(Math.floor(position / meta.chunk));
      const view = views[position % meta.chunk];
      if (!view) throw new Error("There is no such case in this file.");
      return view;
    },
  }, meta);
})();
