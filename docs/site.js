"use strict";
// What can be scrolled can be reached by the keyboard: wide tables are one stop of the Tab key.
addEventListener("load", () => {
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap")) if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
});
