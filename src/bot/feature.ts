import type { Composer, Middleware } from "grammy";
import type { BotContext } from "./context.js";
import type { OwnData } from "./people/people.js";

/** A button of `/settings`: its label, which may show what is set, and the data that its feature handles. */
export interface SettingsEntry {
  label(ctx: BotContext): string;
  data: string;
}

/** A part of the bot. Updates that it does not handle go on to the next feature. */
export interface Feature {
  /** Commands in the menu, each described by `command-<name>` in the locales. */
  commands?: readonly string[];
  adminCommands?: readonly string[];
  /** Commands that are only in the menu of people who have an API key. */
  keyCommands?: readonly string[];
  settings?: SettingsEntry;
  /** What it stores about people: told and erased on request. */
  ownData?: OwnData;
  /** Its questions, and what else takes messages before every feature. */
  questions?: readonly Middleware<BotContext>[];
  composer: Composer<BotContext>;
}
