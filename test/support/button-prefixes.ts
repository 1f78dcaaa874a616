import { sources } from "./table-descriptions.js";

/** The prefixes of the data of buttons, as the sources of the bot name them. */
export function buttonPrefixes(): string[] {
  return sources
    .filter(({ path }) => path.startsWith("bot/"))
    .flatMap(({ text }) => [...text.matchAll(/= (?:button|action)Data\(\s*"(\w+)"/g)])
    .map(([, prefix = ""]) => prefix);
}
