import type { Job } from "../../../contract/job.js";
import type { ParameterValue } from "../../../contract/model.js";
import { type Kopecks, kopecksOf, sumOf } from "../../../contract/money.js";
import { isInGroup } from "../../telegram/place.js";
import { blockquote, cutText, escapeHtml, isLong } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../store/order.js";

/** Telegram's limit for a caption, counted after the HTML is parsed. */
const CAPTION_LIMIT = 1024;
/** The room for a title, longer than titles are. It leaves room for the sums, and these for the words. */
const TITLE_LIMIT = 200;
const LINE_LIMIT = 512;
const LYRICS_LINES = 4;

/** Composes a caption as HTML. `balanceKopecks`: undefined when the balance could not be read. */
export function captionOf(
  order: Order,
  done: readonly Job[],
  balanceKopecks: Kopecks | undefined,
  { t, money }: Language,
): string {
  const cost = sumOf(done.map(({ cost_rub }) => kopecksOf(cost_rub)));
  // A group contains the results of several people.
  const owner = isInGroup(order) ? [order.userName] : [];
  const facts = [...owner, cutText(order.modelTitle, TITLE_LIMIT), t("caption-cost", { cost: money(cost) })];
  if (balanceKopecks !== undefined) facts.push(t("caption-left", { balance: money(balanceKopecks) }));
  const line = cutText(facts.join(" · "), LINE_LIMIT);
  const words = cutText(wordsOf(order), CAPTION_LIMIT - line.length - 2);
  return [wordsPart(words), `<i>${escapeHtml(line)}</i>`].join("");
}

/** Quotes words as HTML. Long ones are folded, so that the buttons stay near the picture. */
function wordsPart(words: string): string {
  if (words === "") return "";
  return isLong(words) ? `${blockquote(words)}\n` : `${escapeHtml(words)}\n\n`;
}

/** Returns the prompt; a track gives its title, else its description, else the first lyrics. */
function wordsOf({ request }: Order): string {
  const { type, prompt, title, description, lyrics } = request;
  if (type !== "music") return prompt ?? "";
  return textOf(title) || textOf(description) || beginningOf(textOf(lyrics)) || textOf(prompt);
}

function beginningOf(lyrics: string): string {
  const lines = lyrics.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, LYRICS_LINES).join("\n");
  return lines.length > LYRICS_LINES ? `${shown.replace(/[\s.,;:…]+$/u, "")}…` : shown;
}

function textOf(value: ParameterValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}
