/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Locator } from "playwright-core";

/** What a person sees of a card on a phone, measured in the page. */
export interface SeenCard {
  /** Pixels of the card above or below the part of the chat that is visible; at most 0 when it fits. */
  outsidePx: number;
  /** Labels that are cut or broken into lines. */
  cutLabels: string[];
  /** Lines of the text. */
  lines: string[];
  labels: string[];
  /** The labels in the style of a paying button. */
  paying: string[];
  /** The width of each button, in the order of `labels`, in px. */
  widths: number[];
}

export function seenCard(message: Locator): Promise<SeenCard> {
  return message.evaluate((element) => {
    const scroller = element.closest(".scroller")?.getBoundingClientRect();
    const stack = element.querySelector(".stack")?.getBoundingClientRect();
    if (!scroller || !stack) throw new Error("no message");
    const buttons = [...element.querySelectorAll("button[data-callback]")];
    const labels = buttons.map((button) => button.querySelector(".button-label"));
    const isCut = (label: Element | null) =>
      label !== null &&
      (label.scrollWidth > label.clientWidth + 1 ||
        label.getClientRects().length > 1 ||
        heightOf(label) > 30);
    const heightOf = (one: Element) => one.getBoundingClientRect().height;

    /** The words of the text by the line on which they are drawn. */
    const lines = new Map<number, string>();
    const walker = document.createTreeWalker(element.querySelector(".text") ?? element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[^ \n\t]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        for (const { bottom } of range.getClientRects()) {
          const line = [...lines.keys()].find((one) => Math.abs(one - bottom) < 6) ?? bottom;
          lines.set(line, `${lines.get(line) ?? ""} ${word}`.trim());
        }
      }
    }
    return {
      outsidePx: Math.max(scroller.top - stack.top, stack.bottom - scroller.bottom),
      cutLabels: labels.filter(isCut).map((label) => label?.textContent ?? ""),
      lines: [...lines.values()],
      labels: buttons.map(({ textContent }) => textContent ?? ""),
      paying: buttons
        .filter((button) => button.classList.contains("is-success"))
        .map(({ textContent }) => textContent ?? ""),
      widths: buttons.map((button) => Math.round(button.getBoundingClientRect().width)),
    };
  });
}
