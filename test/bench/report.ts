/** One line of the table. */
export interface Figure {
  what: string;
  measured: string;
  /** What it must be; absent where the number only explains another. */
  goal?: string;
  isReached?: boolean;
}

/** A figure that must not be larger than its goal. */
export function atMost(what: string, value: number, goal: number, unit = "", digits = 0): Figure {
  const measured = `${value.toFixed(digits)}${unit}`;
  return { what, measured, goal: `≤ ${goal}${unit}`, isReached: value <= goal };
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints figures as a table. */
export function printTable(figures: readonly Figure[]): void {
  const wide = Math.max(...figures.map(({ what }) => what.length));
  const middle = Math.max(...figures.map(({ measured }) => measured.length));
  for (const { what, measured, goal, isReached } of figures) {
    const verdict = goal === undefined ? "" : `${goal}  ${isReached ? "reached" : "MISSED"}`;
    say(`${what.padEnd(wide)}  ${measured.padStart(middle)}  ${verdict}`.trimEnd());
  }
}
