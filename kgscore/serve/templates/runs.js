"use strict";
// Two runs are ticked and compared; those that are about other references cannot be ticked beside one that is.
(() => {
  const form = kgs.byId("board");
  const boxes = [...form.querySelectorAll("[name=run]")];
  const button = form.querySelector("button");
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [a, b] = boxes.filter((box) => box.checked).map((box) => box.value);
    location.href = `/compare?${new URLSearchParams({ a, b })}`;
  });

  function update() {
    const ticked = boxes.filter((box) => box.checked);
    for (const box of boxes) {
      const fits = ticked.every((one) => one === box || one.dataset.with.split("\n").includes(box.value));
      box.disabled = !box.dataset.with || !box.checked && (ticked.length > 1 || !fits);
      box.title = fits ? "" : "about other references";
    }
    button.disabled = ticked.length !== 2;
    kgs.byId("board-note").textContent = ticked.length === 2 ? `${ticked[0].value} is A, ${ticked[1].value} is B.` : ticked.length ? "Tick one more." : "Tick two runs about the same references.";
  }
})();
