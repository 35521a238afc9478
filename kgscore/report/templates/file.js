"use strict";
// The source of a file: columns and cases stand in it, compressed, and are unpacked when they are asked for.
(() => {
  /** A block of the file; the cases stand after this script, and may still be on their way. */
  async function block(id) {
    while (!kgs.byId(id)?.nextElementSibling && document.readyState === "loading") await new Promise((go) => setTimeout(go, 30));
    return kgs.byId(id).textContent.trim();
  }

  async function unpack(id) {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("This browser cannot unpack the cases; open the file in one from 2023 or later.");
    }
    const packed = atob(await block(id));
    const bytes = new Uint8Array(packed.length);
    for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
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

  async function view(position) {
    const views = Number(position) < meta.cases ? await chunk(Math.floor(position / meta.chunk)) : [];
    const found = views[position % meta.chunk];
    if (!found) throw new Error("There is no such case in this file.");
    return found;
  }

  if (meta.a) kgs.openContrast({ columns: () => unpack("columns"), view: (one, other, at) => view(at) }, meta);
  else kgs.openBook({ columns: () => unpack("columns"), search: meta.searched ? search : null, view }, meta);
})();
