import type { FaultHelp } from "../services-protocol.js";
import { fetchServices } from "./api.js";
import { element } from "./dom.js";
import { copyText } from "./links.js";
import { pageWords } from "./words/words.js";

const WORDS = pageWords.services;
const COPIED_MS = 1_500;

/** What can be written into a description to make one order go wrong; the list is read when it is opened first. */
export function promptMarks(): HTMLElement {
  const list = element("ul", { class: "fault-list" });
  const details = element("details", {}, element("summary", {}, WORDS.marksList), list);
  details.addEventListener("toggle", () => {
    if (!details.open || list.childElementCount > 0) return;
    void fetchServices<FaultHelp>("faults").then(({ inPrompts }) =>
      list.replaceChildren(...inPrompts.map(line)),
    );
  });
  return element(
    "section",
    { class: "prompt-help" },
    element("h3", {}, WORDS.marks),
    element("p", {}, WORDS.marksAbout),
    details,
  );
}

/** What happens stands first; the mark itself is for the clipboard. */
function line({ name, about }: FaultHelp["inPrompts"][number]): HTMLElement {
  const mark = `[fault:${name}]`;
  const copy = element("button", { type: "button", class: "copy-mark", title: mark }, WORDS.copyMark);
  copy.addEventListener("click", async () => {
    if (!(await copyText(mark))) return;
    copy.textContent = WORDS.markCopied;
    setTimeout(() => copy.replaceChildren(WORDS.copyMark), COPIED_MS);
  });
  return element("li", {}, element("span", {}, about), copy);
}
