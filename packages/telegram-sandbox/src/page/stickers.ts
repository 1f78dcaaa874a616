import { element } from "./dom.js";
import type { Words } from "./words/words.js";

const SIDE_PX = 512;
const STICKERS = [
  "🎨",
  "🎬",
  "🎵",
  "🖼️",
  "✨",
  "🔥",
  "🚀",
  "🌈",
  "❤️",
  "👍",
  "😀",
  "😎",
  "🤔",
  "🥳",
  "🐱",
  "🎉",
];

/** A set of stickers over the composer: emoji, drawn at the size that Telegram's stickers have. */
export class StickerPanel {
  readonly element: HTMLElement;
  readonly #toggle: HTMLButtonElement;

  constructor(toggle: HTMLButtonElement, words: Words, send: (file: File, emoji: string) => void) {
    this.#toggle = toggle;
    const choices = STICKERS.map((emoji) => {
      const label = `${words.sticker} ${emoji}`;
      const choose = async () => {
        this.#show(false);
        send(await drawSticker(emoji), emoji);
      };
      const attributes = { type: "button", class: "sticker-choice", "aria-label": label, onclick: choose };
      return element("button", attributes, emoji);
    });
    this.element = element(
      "div",
      { class: "sticker-panel", hidden: true, role: "group", "aria-label": words.stickers },
      ...choices,
    );
    toggle.addEventListener("click", () => this.#show(this.element.hidden !== false));
    document.addEventListener("pointerdown", ({ target }) => {
      const isInside = target instanceof Node && (this.element.contains(target) || toggle.contains(target));
      if (!isInside) this.#show(false);
    });
    this.element.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.#show(false);
      toggle.focus();
    });
    this.#show(false);
  }

  #show(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.#toggle.setAttribute("aria-pressed", String(isOpen));
  }
}

async function drawSticker(emoji: string): Promise<File> {
  const font = `420px "Atelier Emoji", sans-serif`;
  await document.fonts.load(font, emoji);
  const canvas = element("canvas", { width: SIDE_PX, height: SIDE_PX });
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser has no canvas");
  context.font = font;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const { actualBoundingBoxAscent: above, actualBoundingBoxDescent: below } = context.measureText(emoji);
  context.fillText(emoji, SIDE_PX / 2, (SIDE_PX + above - below) / 2);
  const type = "image/webp";
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type));
  if (blob === null) throw new Error("The browser cannot draw a sticker");
  return new File([blob], "sticker.webp", { type });
}
