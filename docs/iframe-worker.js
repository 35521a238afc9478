"use strict";
// A page that was opened from a disk may start no worker, and search needs one: there its script runs in a hidden frame of the page.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      this.ready = new Promise((loaded) => script.addEventListener("load", () => loaded(inside)));
      script.src = address;
      inside.document.body.append(script);
    }

    postMessage(data) {
      const copy = structuredClone(data);
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data: copy })));
    }
  };
}
