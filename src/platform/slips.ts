/** Counts letters that are wrong, missing, added or swapped with their neighbour (optimal string alignment). */
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
