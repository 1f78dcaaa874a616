/** Formats a time: `2026-11-23 14:05 UTC`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Returns HTML that shows a time in the reader's own zone, and in UTC where the client cannot. */
export function timeHtml(ms: number): string {
  return `<tg-time unix="${Math.floor(ms / 1000)}" format="dt">${timeText(ms)}</tg-time>`;
}
