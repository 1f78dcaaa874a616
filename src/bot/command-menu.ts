import type { Api } from "grammy";
import type { BotCommand } from "grammy/types";
import type { Language, Texts } from "./texts.js";

/** The names of commands, in the order of the menu. */
export interface CommandNames {
  everybody: readonly string[];
  admins: readonly string[];
}

/** The menus of commands that Telegram shows, in every language; admins have theirs, which nobody else sees. */
export class CommandMenu {
  readonly #api: Api;
  readonly #texts: Texts;
  readonly #names: CommandNames;
  readonly #adminIds: ReadonlySet<number>;

  constructor(api: Api, texts: Texts, names: CommandNames, adminIds: ReadonlySet<number>) {
    this.#api = api;
    this.#texts = texts;
    this.#names = names;
    this.#adminIds = adminIds;
  }

  /** Sets the menus for everybody, and for each admin; an admin who never wrote to the bot has no chat yet. */
  async setAll(localeOf: (userId: number) => string | undefined): Promise<void> {
    await this.#api.setMyCommands(this.#menu(this.#texts.in(undefined), false));
    for (const language of this.#texts.languages) {
      await this.#api.setMyCommands(this.#menu(language, false), { language_code: language.code as "en" });
    }
    for (const id of this.#adminIds) {
      await this.setChat(id, this.#texts.in(localeOf(id))).catch(() => {});
    }
  }

  /** Sets the menu of one private chat, in the language that its person chose. */
  async setChat(userId: number, language: Language): Promise<void> {
    const commands = this.#menu(language, this.#adminIds.has(userId));
    await this.#api.setMyCommands(commands, { scope: { type: "chat", chat_id: userId } });
  }

  #menu({ t }: Language, isAdmin: boolean): BotCommand[] {
    const { everybody, admins } = this.#names;
    const names = isAdmin ? [...everybody, ...admins] : everybody;
    return names.map((command) => ({ command, description: t(`command-${command}`) }));
  }
}
