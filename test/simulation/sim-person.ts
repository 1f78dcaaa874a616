import type { Update, User } from "grammy/types";
import type { Random } from "./random.js";
import { chatOf, type SimButton, type SimMessage, type SimTelegram, userOf } from "./sim-telegram.js";

const COMMANDS = ["/start", "/balance", "/image", "/video", "/music", "/help", "/cancel"] as const;
const WORDS = ["red fox", "night train", "red house", "stormy sea", "old man with a hat", "honey bee"];
/** Messages of the chat that a person still sees. */
const SEEN_MAX = 6;

/** Somebody impatient with two devices: taps what there is, twice at times, writes, sends photos, tries commands. */
export class SimPerson {
  readonly id: number;
  #texts = 0;
  #taps = 0;
  #photos = 0;
  /** What the other device shows: it was looked at some time ago. */
  #elsewhere: readonly SimMessage[] = [];

  constructor(
    id: number,
    private readonly telegram: SimTelegram,
    private readonly random: Random,
  ) {
    this.id = id;
  }

  /** Does one thing, and tells what. */
  act(): string {
    const random = this.random;
    if (this.telegram.isBlockedBy(this.id))
      return random.chance(0.5) ? this.blockOrReturn() : `${this.id} is away`;
    const seen = this.#seen();
    const stale = this.#elsewhere;
    if (random.chance(0.3)) this.#elsewhere = seen;
    const paying = seen.flatMap((message) =>
      message.buttons.filter(({ isPaying }) => isPaying).map((button) => ({ message, button })),
    );
    const act = random.weighted([
      [paying.length > 0 ? 60 : 0, () => this.#tapOne(random.pick(paying))],
      [seen.length > 0 ? 30 : 0, () => this.#tapAny(random.pick(seen))],
      [25, () => this.say(`${random.pick(["/image", "/image", "/video", "/music"])} ${this.#words()}`)],
      [stale.length > 0 ? 8 : 0, () => `on the other device ${this.#tapAny(random.pick(stale))}`],
      [10, () => this.say(this.#words())],
      [4, () => this.#sendPhoto()],
      [this.telegram.stars.hasInvoice(this.id) ? 10 : 0, () => this.telegram.stars.pay(this.#user)],
      [6, () => this.say(random.pick(COMMANDS))],
      [1.5, () => this.blockOrReturn()],
    ] as const);
    return act();
  }

  /** Takes the next step of a top-up, and tells it. */
  buy(): string {
    const { stars } = this.telegram;
    if (stars.hasInvoice(this.id) && this.random.chance(0.8)) return stars.pay(this.#user);
    const offers = this.#seen().flatMap((message) =>
      message.buttons.filter(({ data }) => /^t:[ab]:/.test(data)).map((button) => ({ message, button })),
    );
    return offers.length > 0 ? this.#tapOne(offers.at(-1)) : this.say("/topup");
  }

  /** Taps the button with the price, or writes what brings it. */
  order(): string {
    const paying = this.#seen().flatMap((message) =>
      message.buttons.filter(({ label }) => label.startsWith("✅")).map((button) => ({ message, button })),
    );
    return paying.length > 0
      ? this.#tapOne(this.random.pick(paying))
      : this.say(`${this.random.pick(["/image", "/video", "/music"])} ${this.#words()}`);
  }

  /** Telegram takes Stars of them that the service was not asked about. */
  payUnasked(): string {
    return this.telegram.stars.payUnasked(this.#user);
  }

  /** Pays, and has the Stars back before the service hears of them. */
  payAndReturn(): string {
    const { stars } = this.telegram;
    return stars.hasInvoice(this.id) ? stars.payAndReturn(this.#user) : this.buy();
  }

  /** Taps the newest button with such data, or says something that may bring one. */
  press(data: RegExp, otherwise: string): string {
    const own = [...this.telegram.messages.values()].filter(({ chatId }) => chatId === this.id);
    const found = own.flatMap((message) =>
      message.buttons.filter((button) => data.test(button.data)).map((button) => ({ message, button })),
    );
    const chosen = this.random.chance(0.7) ? found.at(-1) : this.random.pick(found.slice(-SEEN_MAX));
    return chosen ? this.#tapOne(chosen) : this.say(otherwise);
  }

  blockOrReturn(): string {
    const isBlocked = !this.telegram.isBlockedBy(this.id);
    this.telegram.block(this.#user, isBlocked);
    return `${this.id} ${isBlocked ? "blocks the bot" : "lets the bot write again"}`;
  }

  #seen(): SimMessage[] {
    const own = [...this.telegram.messages.values()].filter(({ chatId }) => chatId === this.id);
    return own.slice(-SEEN_MAX).filter(({ buttons }) => buttons.length > 0);
  }

  #tapAny(message: SimMessage | undefined): string {
    const button = message && this.random.pick(message.buttons);
    return this.#tapOne(message && button && { message, button });
  }

  #tapOne(chosen: { message: SimMessage; button: SimButton } | undefined): string {
    if (!chosen) return `${this.id} looks`;
    const { message, button } = chosen;
    const taps = this.random.chance(0.3) ? 2 : 1;
    this.telegram.book.tapped(this.#user, button.label);
    for (let tap = 1; tap <= taps; tap += 1) this.#tap(message, button);
    return `${this.id} taps ${button.label} (${button.data}) of ${message.id}, ${taps} times`;
  }

  #tap({ id: message_id, chatId }: SimMessage, { data }: SimButton): void {
    this.#taps += 1;
    const message = { message_id, date: 1, chat: chatOf(chatId) } as never;
    const id = `${this.id}-${this.#taps}`;
    this.telegram.arrive({
      callback_query: { id, from: this.#user, chat_instance: "1", data, message },
    } as Omit<Update, "update_id">);
  }

  /** No two people write the same. */
  #words(): string {
    this.#texts += 1;
    return `${this.random.pick(WORDS)} number ${this.id} of ${this.#texts}`;
  }

  /** Sends a message, and tells it. */
  say(text: string): string {
    this.telegram.book.said(text);
    const command = /^\/\w+/.exec(text)?.[0];
    const entities = command ? [{ type: "bot_command", offset: 0, length: command.length }] : [];
    this.telegram.write(this.id, { text, entities });
    return `${this.id} says ${text}`;
  }

  #sendPhoto(): string {
    this.#photos += 1;
    const file_id = `photo-${this.id}-${this.#photos}`;
    const caption = this.random.chance(0.5) ? this.#words() : undefined;
    const photo = [{ file_id, file_unique_id: file_id, width: 64, height: 32, file_size: 600 }];
    this.telegram.write(this.id, { photo, caption });
    return `${this.id} sends a photo: ${caption}`;
  }

  get #user(): User {
    return userOf(this.id);
  }
}
