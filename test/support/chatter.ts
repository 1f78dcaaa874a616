import type { PersonTap, SandboxPerson } from "@atelier/telegram-sandbox";
import type { TelegramMessage } from "@gramio/types";
import { GENERATION_TYPES } from "../../src/contract/model.js";
import { texts } from "./drafts.js";

const EXAMPLES: ReadonlySet<string | undefined> = new Set(
  texts.languages.flatMap(({ t }) => GENERATION_TYPES.map((type) => t(`example-${type}`))),
);

type Label = string | RegExp;

/** The labels of a message's buttons. */
export function labelsOf(message: TelegramMessage): string[] {
  const markup = message.reply_markup;
  return markup && "inline_keyboard" in markup ? markup.inline_keyboard.flat().map(({ text }) => text) : [];
}

/** A person who looks at the newest message that has the button they want, and taps it. */
export class Chatter {
  constructor(
    readonly person: SandboxPerson,
    readonly chat = person.id,
  ) {}

  say(text: string, options: { replyTo?: number; thread?: number } = {}): TelegramMessage {
    return this.person.sendText(text, { chat: this.chat, ...options });
  }

  /** Waits for a message of the bot. */
  see(match: string | RegExp | ((message: TelegramMessage) => boolean), after = 0): Promise<TelegramMessage> {
    return this.person.waitForMessage(match, { chat: this.chat, after });
  }

  /** Waits for a message with a button, and optionally with a text in its words or on another button. */
  seeButton(label: Label, text = ""): Promise<TelegramMessage> {
    return this.see((message) => {
      const labels = labelsOf(message);
      const words = [message.text ?? message.caption ?? "", ...labels];
      return words.some((one) => one.includes(text)) && labels.some((one) => fits(label, one));
    });
  }

  /** Waits for a button on the newest message that has it, and taps it. */
  async press(label: Label, text = ""): Promise<PersonTap> {
    const message = await this.seeButton(label, text);
    const exact = labelsOf(message).find((one) => fits(label, one)) ?? "";
    return this.person.tap(message, exact, this.chat);
  }

  /** Chooses a model on the open card. */
  async choose(model: Label): Promise<PersonTap> {
    await this.press(/^🎨 (?:Model|Модель)$/);
    return this.press(model);
  }

  /** The bot's messages, oldest first. */
  heard(): TelegramMessage[] {
    return this.person.messages(this.chat).filter(({ from }) => from?.is_bot === true);
  }

  /** Photos of the bot, without the examples of its greeting. */
  photos(): TelegramMessage[] {
    return this.heard().filter(isResult);
  }

  /** Waits for a photo that is no example of the greeting. */
  seePhoto(): Promise<TelegramMessage> {
    return this.see(isResult);
  }
}

function isResult({ photo, caption }: TelegramMessage): boolean {
  return photo !== undefined && !EXAMPLES.has(caption);
}

function fits(label: Label, text: string): boolean {
  return typeof label === "string" ? text.includes(label) : label.test(text);
}
