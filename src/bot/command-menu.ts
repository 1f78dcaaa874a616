import type { Api } from "grammy";
import type { BotCommand } from "grammy/types";
import type { Admins } from "../accounts/admin-store.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { Logger } from "../platform/logger.js";
import type { ServiceAccounts } from "../service/accounts.js";
import type { Feature } from "./feature.js";
import type { Person } from "./people/people.js";
import type { Language, Texts } from "./texts/texts.js";

/** Commands that begin the menu: what people come for. */
const FIRST: readonly string[] = ["start", "image", "video", "music", "balance", "topup"];
/** Commands that end it: what is needed once, or in trouble. */
const LAST: readonly string[] = ["help", "cancel", "support", "paysupport", "terms", "privacy"];

/** Sorts commands for the menu, whatever the order in which features handle them. Others stay between, as they come. */
export function inMenuOrder(commands: readonly string[]): string[] {
  return commands.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(command: string): number {
  if (FIRST.includes(command)) return FIRST.indexOf(command);
  return FIRST.length + 1 + LAST.indexOf(command);
}

/** A person, without a name if they never wrote and have no account. */
type MenuOwner = Pick<Person, "id"> & Partial<Pick<Person, "name">>;

/** How many people's menus are remembered as right. */
const REMEMBERED = 10_000;

/** The command menus in every language. Admins and people who have an API key have their own. */
export class CommandMenu {
  readonly #everybody: string[] = [];
  readonly #admins: string[] = [];
  readonly #keyOwners: string[] = [];
  /** Whether a person was an admin when their menu was set. */
  readonly #set = new BoundedMap<number, boolean>(REMEMBERED);

  constructor(
    private readonly api: Api,
    private readonly texts: Texts,
    private readonly adminIds: Admins,
    private readonly accounts: ServiceAccounts,
    private readonly logger: Logger,
  ) {}

  add({ commands = [], adminCommands = [], keyCommands = [] }: Partial<Feature>): void {
    this.#everybody.push(...commands);
    this.#keyOwners.push(...keyCommands);
    this.#admins.push(...adminCommands);
  }

  /** Sets all menus. Telegram refuses that of an admin who never wrote to the bot: `onContact` sets it later. */
  async setAll(personOf: (userId: number) => Person | undefined): Promise<void> {
    await this.api.setMyCommands(this.#menu(this.texts.in(undefined)));
    for (const language of this.texts.languages) {
      await this.api.setMyCommands(this.#menu(language), { language_code: language.code as "en" });
    }
    for (const id of this.adminIds) {
      const person = personOf(id);
      await this.#setOnce(person ?? { id }, this.texts.in(person?.locale)).catch(() => {});
    }
  }

  /** Sets the menu of a person with one of their own whose chat has none yet, or who is an admin now or no longer. Never throws. */
  onContact(person: MenuOwner, language: Language): void {
    this.#inBackground(person, this.#setOnce(person, language));
  }

  /** Sets the menu of a person whose keys or language have changed, in the background. Never throws. */
  onChanged(person: MenuOwner, language: Language): void {
    this.#inBackground(person, this.setChat(person, language));
  }

  async setChat(person: MenuOwner, language: Language): Promise<void> {
    const isAdmin = this.adminIds.has(person.id);
    const commands = this.#menu(language, { isAdmin, hasKey: await this.#hasKey(person) });
    await this.api.setMyCommands(commands, { scope: { type: "chat", chat_id: person.id } });
  }

  async #setOnce(person: MenuOwner, language: Language): Promise<void> {
    const { id } = person;
    const before = this.#set.get(id);
    const isAdmin = this.adminIds.has(id);
    if (before === isAdmin) return;
    this.#set.set(id, isAdmin);
    try {
      if (before !== undefined || isAdmin || (await this.#hasKey(person)))
        await this.setChat(person, language);
    } catch (error) {
      this.#set.delete(id);
      throw error;
    }
  }

  #inBackground({ id }: MenuOwner, setting: Promise<void>): void {
    setting.catch((error: unknown) =>
      this.logger.info({ user_id: id, err: error }, "command menu of a person not set"),
    );
  }

  async #hasKey({ id, name }: MenuOwner): Promise<boolean> {
    if (name === undefined || this.accounts.kind !== "managed") return false;
    return (await this.accounts.keys.living({ id, name })).length > 0;
  }

  #menu({ t }: Language, { isAdmin = false, hasKey = false } = {}): BotCommand[] {
    const own = [...(hasKey ? this.#keyOwners : []), ...(isAdmin ? this.#admins : [])];
    return inMenuOrder([...this.#everybody, ...own]).map((command) => ({
      command,
      description: t(`command-${command}`),
    }));
  }
}
