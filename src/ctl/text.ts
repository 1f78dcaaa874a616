type Cell = string | number | null;

/** Aligns columns: numbers to the right, a dash for a missing value. */
export function table(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const shown = rows.map((row) => row.map((cell) => (cell === null ? "-" : inOneLine(String(cell)))));
  const isNumber = names.map((_name, column) => rows.every((row) => typeof row[column] === "number"));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...shown.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumber[column] && rows.length > 0 ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [names, ...shown].map(line).join("\n");
}

/** Removes control characters: names are untrusted. */
function inOneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, " ");
}
