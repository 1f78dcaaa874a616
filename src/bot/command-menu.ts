import type { Api } from "grammy";
import type { BotCommand } from "grammy/types";
import type { Logger } from "../platform/logger.js";
import type { Feature } from "./feature.js";
import type { Language, Texts } from "./texts.js";

export interface CommandMenuOptions {
  api: Api;
  texts: Texts;
  adminIds: ReadonlySet<number>;
  logger: Logger;
}

/** The command menus in every language. Admins have their own. */
export class CommandMenu {
  readonly #api: Api;
  readonly #texts: Texts;
  readonly #everybody: string[] = [];
  readonly #admins: string[] = [];
  readonly #adminIds: ReadonlySet<number>;
  readonly #logger: Logger;
  /** Admins whose menu is set or being set. */
  readonly #set = new Set<number>();

  constructor({ api, texts, adminIds, logger }: CommandMenuOptions) {
    this.#api = api;
    this.#texts = texts;
    this.#adminIds = adminIds;
    this.#logger = logger;
  }

  add({ commands = [], adminCommands = [] }: Pick<Feature, "commands" | "adminCommands">): void {
    this.#everybody.push(...commands);
    this.#admins.push(...adminCommands);
  }

  /** Telegram refuses the menu of an admin who never wrote to the bot. `onContact` sets it later. */
  async setAll(localeOf: (userId: number) => string | undefined): Promise<void> {
    await this.#api.setMyCommands(this.#menu(this.#texts.in(undefined), false));
    for (const language of this.#texts.languages) {
      await this.#api.setMyCommands(this.#menu(language, false), { language_code: language.code as "en" });
    }
    for (const id of this.#adminIds) {
      await this.#setOnce(id, this.#texts.in(localeOf(id))).catch(() => {});
    }
  }

  /** Sets the menu of an admin whose chat has none yet, in the background. Never throws. */
  onContact(userId: number, language: Language): void {
    if (!this.#adminIds.has(userId)) return;
    this.#setOnce(userId, language).catch((error: unknown) =>
      this.#logger.info({ user_id: userId, err: error }, "command menu of an admin not set"),
    );
  }

  async setChat(userId: number, language: Language): Promise<void> {
    const commands = this.#menu(language, this.#adminIds.has(userId));
    await this.#api.setMyCommands(commands, { scope: { type: "chat", chat_id: userId } });
  }

  async #setOnce(userId: number, language: Language): Promise<void> {
    if (this.#set.has(userId)) return;
    this.#set.add(userId);
    try {
      await this.setChat(userId, language);
    } catch (error) {
      this.#set.delete(userId);
      throw error;
    }
  }

  #menu({ t }: Language, isAdmin: boolean): BotCommand[] {
    const names = isAdmin ? [...this.#everybody, ...this.#admins] : this.#everybody;
    return names.map((command) => ({ command, description: t(`command-${command}`) }));
  }
}
