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
