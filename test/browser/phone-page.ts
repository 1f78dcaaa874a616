/// <reference lib="dom" />
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { expect } from "vitest";
import { Visit } from "./visit.js";

const PHONE = { width: 390, height: 844 };
/** Screenshots for the eye, where a folder is named. */
const SHOTS = process.env.SCREENSHOTS;
/** What only logs and the API say, and what a template leaves where a value is missing. */
const NOT_FOR_PEOPLE = /Bad Request|\bXTR\b|\btelegram:\d|\btill:|local preview|undefined|\bnull\b|\{ ?\$/;
/** A month in English beside a number, as a date of the wrong language has it. */
const ENGLISH_DATE =
  /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d/;

/** The chat page on a phone, used by typing and tapping as one of its people. */
export class PhonePage {
  #person = 0;
  #isRussian = false;

  private constructor(private readonly visit: Visit) {}

  static async open(browser: Browser, address: string): Promise<PhonePage> {
    if (SHOTS) await mkdir(SHOTS, { recursive: true });
    return new PhonePage(await Visit.at(address, browser, PHONE));
  }

  /** Closes the page, and fails where it had a fault. */
  close(): Promise<void> {
    return this.visit.end();
  }

  /** Takes the phone of a person. */
  async as({ id, language_code }: { id: number; language_code: string }): Promise<void> {
    this.#person = id;
    this.#isRussian = language_code === "ru";
    await this.visit.lookAs(id);
    await this.chat.waitFor();
  }

  get pane(): Locator {
    return this.visit.pane(this.#person);
  }

  get chat(): Locator {
    return this.visit.chat(this.#person);
  }

  /** Opens the person's menu, which tells what is in the purse as the page knows it, and closes it. */
  async readMenu(): Promise<string> {
    const menu = this.pane.getByTestId("menu");
    const button = menu.locator(".tool");
    await button.click();
    const text = await menu.locator(".menu").textContent();
    await button.click();
    return text ?? "";
  }

  /** What the bot has said last, or the person. */
  get last(): Locator {
    return this.chat.getByTestId("message").last();
  }

  start(): Promise<void> {
    return this.visit.start(this.#person);
  }

  say(text: string): Promise<void> {
    return this.visit.say(this.#person, text);
  }

  /** The newest button with this label. */
  key(label: string | RegExp): Locator {
    return this.chat.locator(".key", { hasText: label }).last();
  }

  press(label: string | RegExp): Promise<void> {
    return this.key(label).click();
  }

  see(text: string | RegExp): Promise<void> {
    return this.visit.see(this.#person, text);
  }

  /** Checks what the whole chat looks like at the end of a step, and keeps it for the eye. */
  async look(step: string): Promise<void> {
    const seen = await this.chat.evaluate((chat) => {
      const scroller = chat.querySelector(".scroller");
      const labels = [...chat.querySelectorAll(".button-label")];
      return {
        sidewaysPx: scroller ? scroller.scrollWidth - scroller.clientWidth : Number.NaN,
        cut: labels
          .filter((label) => label.scrollWidth > label.clientWidth + 1)
          .map((label) => label.textContent),
        text: chat.textContent ?? "",
      };
    });
    const language = this.#isRussian ? "ru" : "en";
    if (SHOTS) {
      await this.chat.locator(".scroller").evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await this.visit.shot(join(SHOTS, `till-${language}-${step}.png`));
    }
    expect(seen.sidewaysPx, `${step} does not scroll sideways`).toBe(0);
    expect(seen.cut, `${step}: every label is whole`).toEqual([]);
    expect(seen.text, `${step} is in the words of people`).not.toMatch(NOT_FOR_PEOPLE);
    if (this.#isRussian) expect(seen.text, `${step} has dates in Russian`).not.toMatch(ENGLISH_DATE);
  }
}
