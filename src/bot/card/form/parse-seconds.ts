const HOURS = String.raw`(?:(\d{1,2}):)?`;
const CLOCK = new RegExp(`^${HOURS}(\\d{1,3}):([0-5]\\d)$`);
const AMOUNT = String.raw`(\d{1,6}(?:[.,]\d{1,2})?)`;
const MINUTES = String.raw`(?:m|min|mins|minutes?|м|мин|минут[аыу]?)\.?`;
const SECONDS = String.raw`(?:s|sec|secs|seconds?|с|сек|секунд[аыу]?)\.?`;
const IN_WORDS = new RegExp(`^(?:${AMOUNT}\\s*${MINUTES})?\\s*(?:${AMOUNT}\\s*${SECONDS})?$`, "iu");

/** Reads a length with its unit: `2:30`, `1:02:30`, `2 мин`, `1,5 min`, `2 мин 30 с`, `90 s`. */
export function parseSeconds(text: string): number | undefined {
  const words = text.trim();
  const clock = CLOCK.exec(words);
  if (clock) {
    const [, hours = "0", minutes = "0", seconds = "0"] = clock;
    return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  }
  const said = words === "" ? null : IN_WORDS.exec(words);
  if (!said) return undefined;
  const [, minutes = "0", seconds = "0"] = said;
  return Math.round(numberOf(minutes) * 60 + numberOf(seconds));
}

function numberOf(text: string): number {
  return Number(text.replace(",", "."));
}
