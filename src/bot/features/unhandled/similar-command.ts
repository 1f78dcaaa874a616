import { slipsBetween } from "../../../platform/slips.js";

/** The length from which on a word may have two slips. */
const LONG = 5;

/**
 * Finds the command that a person probably meant: one of the names that people use for it, or the closest spelling.
 * @param names commands by what people say in their place, in lower case
 */
export function similarCommand(
  word: string,
  commands: readonly string[],
  names: ReadonlyMap<string, string>,
): string | undefined {
  const said = word.toLowerCase();
  const named = names.get(said);
  if (named !== undefined && commands.includes(named)) return named;
  const slipsMax = said.length >= LONG ? 2 : 1;
  const judged = commands.map((command) => ({ command, slips: slipsBetween(said, command) }));
  const [best] = judged.sort((a, b) => a.slips - b.slips);
  return best && best.slips <= slipsMax && best.slips * 2 < best.command.length ? best.command : undefined;
}
