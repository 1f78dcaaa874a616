import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { startDemo } from "../support/demo.js";

export const ANNA = 1001;
export const BORIS = 1002;
export const OLGA = 1003;

export const DESKTOP = { width: 1440, height: 900 };
const JSON_TYPE = { "content-type": "application/json" };

/** The chat page of a fresh demo with all its people side by side, used by typing and tapping only. */
export class Visit {
  readonly #faults: string[] = [];
  readonly #asked = new Set<string>();
  readonly #actions: string[] = [];

  protected constructor(
    private readonly address: string,
    readonly page: Page,
    private readonly stop: () => Promise<void>,
  ) {
    page.on("pageerror", (error) => this.#faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") this.#faults.push(message.text());
    });
    page.on("request", (request) => this.#asked.add(new URL(request.url()).origin));
  }

  /** @param options of the demo's command line */
  static async begin(browser: Browser, viewport = DESKTOP, options: readonly string[] = []): Promise<Visit> {
    const demo = await startDemo(options);
    return new Visit(demo.address, await browser.newPage({ viewport }), () => demo.stop()).loaded();
  }

  /** Visits a sandbox that goes on afterwards. */
  static async at(address: string, browser: Browser, viewport: typeof DESKTOP): Promise<Visit> {
    return new Visit(address, await browser.newPage({ viewport }), async () => {}).loaded();
  }

  protected async loaded(): Promise<this> {
    await this.page.goto(`${this.address}/#panes=3`);
    await this.page.locator("html[data-ready]").waitFor();
    return this;
  }

  /** Ends the demo, also after a test that failed. May be called again. */
  async close(): Promise<void> {
    await this.page.close();
    await this.stop();
  }

  /** Ends the demo, and fails where the page had a fault or asked another machine. */
  async end(): Promise<void> {
    await this.close();
    expect(this.#faults, "the page has no fault").toEqual([]);
    expect([...this.#asked], "nothing outside this machine is asked").toEqual([this.address]);
  }

  /** What all people have done so far: starts, texts, files and taps, one each. */
  get actions(): readonly string[] {
    return this.#actions;
  }

  /** The pane of a person. */
  pane(person: number): Locator {
    return this.page.locator(`[data-person="${person}"]`);
  }

  /** The panel of the services that make the files. */
  get services(): Locator {
    return this.page.locator("#services-panel");
  }

  /** Moves the tasks of the services on. */
  async skip(ms: number): Promise<void> {
    const init = { method: "POST", body: JSON.stringify({ ms }), headers: JSON_TYPE };
    expect((await fetch(`${this.address}/services/advance`, init)).ok).toBe(true);
  }

  /** A chat as a person sees it: the private one with the bot unless said otherwise. */
  chat(person: number, chat = person): Locator {
    return this.page.locator(`[data-person="${person}"] [data-chat="${chat}"]`);
  }

  /** What scrolls in a person's private chat. */
  scroller(person: number): Locator {
    return this.chat(person).locator(".scroller");
  }

  /** Brings a person's pane to the front, where only one fits. */
  async lookAs(person: number): Promise<void> {
    await this.page.locator(`[data-chip="${person}"]`).click();
  }

  async start(person: number): Promise<void> {
    this.#actions.push("start");
    await this.pane(person).getByTestId("start").click();
    await this.button(person, /🎵/).waitFor();
  }

  async say(person: number, text: string): Promise<void> {
    this.#actions.push("text");
    const composer = this.pane(person).locator("textarea:visible");
    await composer.fill(text);
    await composer.press("Enter");
  }

  /** Picks a file from the disk and sends it. */
  async attach(person: number, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    this.#actions.push("file");
    await this.pane(person).getByTestId("files").setInputFiles(file);
    await this.pane(person).getByTestId("attachments").locator("img").waitFor();
    await this.pane(person).getByTestId("send").click();
  }

  /** The newest button with this label. */
  button(person: number, label: RegExp | string): Locator {
    return this.chat(person).locator("button[data-callback]", { hasText: label }).last();
  }

  /** Keeps what the page shows as a picture. */
  async shot(path: string): Promise<void> {
    await this.page.screenshot({ path });
  }

  async press(person: number, label: RegExp | string): Promise<void> {
    this.#actions.push(`tap ${label}`);
    await this.button(person, label).click();
  }

  async see(person: number, text: string | RegExp): Promise<void> {
    await this.chat(person).getByText(text).last().waitFor();
  }
}

/** Waits until a picture has come and is drawn. */
export async function seesPicture(picture: Locator, timeoutMs: number): Promise<void> {
  await picture.waitFor({ state: "visible", timeout: timeoutMs });
  await expect.poll(() => numberOf(picture, "naturalWidth")).toBeGreaterThan(0);
}

/** Waits until a video or a sound advances by itself. */
export async function plays(medium: Locator): Promise<void> {
  await expect.poll(() => numberOf(medium, "currentTime"), { timeout: 10_000 }).toBeGreaterThan(0.2);
  // HAVE_CURRENT_DATA: what stands at this moment is decoded.
  expect(await numberOf(medium, "readyState")).toBeGreaterThanOrEqual(2);
  expect(await medium.evaluate((element) => Reflect.get(element, "error"))).toBeNull();
}

export function numberOf(locator: Locator, property: string): Promise<number> {
  return locator.evaluate((element, name) => Number(Reflect.get(element, name)), property);
}
