/** A longer word may have two slips. */
const LONG = 5;

/**
 * The command that a person probably meant: one of the names that people use for it, or the closest spelling.
 * @param names by what people say in place of the command, in lower case
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

/** Letters that are wrong, missing, added or swapped with their neighbour (optimal string alignment). */
export function slipsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= b.length; column += 1) {
      const wrong = a[row - 1] === b[column - 1] ? 0 : 1;
      const choices = [
        at(rows, row - 1, column) + 1,
        at(rows, row, column - 1) + 1,
        at(rows, row - 1, column - 1) + wrong,
      ];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (row > 1 && column > 1 && isSwapped) choices.push(at(rows, row - 2, column - 2) + 1);
      line.push(Math.min(...choices));
    }
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly number[][], row: number, column: number): number {
  return rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
}
