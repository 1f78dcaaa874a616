const IS_SHORT = process.argv.includes("--short");

/** A number of a measure: in full, or with `--short`, which only shows that every figure can be measured. */
export function scaled(full: number, short: number): number {
  return IS_SHORT ? short : full;
}

/** True where the figures are no measurement. */
export function isShort(): boolean {
  return IS_SHORT;
}
