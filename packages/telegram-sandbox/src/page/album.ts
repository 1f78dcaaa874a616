import type { TelegramMessage } from "@gramio/types";
import { element } from "./dom.js";
import { richText, type TextActions } from "./entities.js";
import { renderMedia, renderVisual, visualSize } from "./media.js";
import type { Words } from "./words/words.js";

const ALBUM_WIDTH = 400;
const ALBUM_HEIGHT_BEST = 460;
const ROW_TILES_MAX = 4;
const WIDE_RATIO = 1.2;

/** One row of a mosaic: how many tiles, and its width divided by its height. */
export interface MosaicRow {
  tiles: number;
  ratio: number;
}

/**
 * Divides pictures into rows of even height so that as little as possible is cropped: of all divisions the one
 * whose rows come nearest to a good height. Ten pictures have few divisions, so each is tried. Three of which the
 * first is wide are one above two, as in Telegram's apps.
 */
export function mosaic(ratios: readonly number[]): MosaicRow[] {
  const clamped = ratios.map((ratio) => Math.min(Math.max(ratio, 0.66), 1.9));
  const [first = 1, ...others] = clamped;
  if (clamped.length === 3 && first > WIDE_RATIO) {
    return [
      { tiles: 1, ratio: first },
      { tiles: 2, ratio: others.reduce((sum, one) => sum + one, 0) },
    ];
  }
  let best: { cost: number; rows: MosaicRow[] } = { cost: Number.POSITIVE_INFINITY, rows: [] };
  const divide = (from: number, rows: MosaicRow[], cost: number): void => {
    if (cost >= best.cost) return;
    if (from === clamped.length) {
      best = { cost, rows };
      return;
    }
    for (let tiles = 1; tiles <= Math.min(ROW_TILES_MAX, clamped.length - from); tiles += 1) {
      const ratio = clamped.slice(from, from + tiles).reduce((sum, one) => sum + one, 0);
      divide(
        from + tiles,
        [...rows, { tiles, ratio }],
        cost + rowCost(ALBUM_WIDTH / ratio, tiles, clamped.length),
      );
    }
  };
  divide(0, [], 0);
  return best.rows;
}

/** The message whose words stand below an album: of pictures, the only one that has any, as in Telegram's apps. */
export function wordedOf(messages: readonly TelegramMessage[]): TelegramMessage | undefined {
  if (messages.some((message) => visualSize(message) === undefined)) return messages.at(-1);
  const worded = messages.filter(({ text, caption }) => text ?? caption);
  return worded.length === 1 ? worded[0] : undefined;
}

/** Renders an album: pictures and videos as a mosaic, files and tracks one under another. */
export function renderAlbum(
  messages: readonly TelegramMessage[],
  open: (index: number) => void,
  actions: TextActions,
): HTMLElement {
  const sizes = messages.map(visualSize);
  if (sizes.some((size) => size === undefined)) return stack(messages, open, actions);
  const ratios = sizes.map((size) => (size === undefined ? 1 : size.width / size.height));
  const album = element("div", { class: "album", "data-testid": "album" });
  let index = 0;
  for (const row of mosaic(ratios)) {
    const line = element("div", { class: "album-row" });
    line.style.setProperty("--row-ratio", String(Math.min(Math.max(row.ratio, 0.9), 5)));
    for (const end = index + row.tiles; index < end; index += 1) {
      const at = index;
      const message = messages[at];
      if (message !== undefined)
        line.append(tile(message, ratios[index] ?? 1, () => open(at), actions.words));
    }
    album.append(line);
  }
  return album;
}

function tile(message: TelegramMessage, ratio: number, open: () => void, words: Words): HTMLElement {
  const made = element(
    "div",
    { class: "tile", "data-message-id": message.message_id },
    ...renderVisual(message, true, open, words),
  );
  made.style.setProperty("--tile-ratio", String(Math.min(Math.max(ratio, 0.66), 1.9)));
  return made;
}

/** Each file has its own caption below it; that of the last one is the bubble's. */
function stack(
  messages: readonly TelegramMessage[],
  open: (index: number) => void,
  actions: TextActions,
): HTMLElement {
  const items = messages.map((message, index) => {
    const media = renderMedia(message, () => open(index), actions.words);
    const { caption, caption_entities: entities } = message;
    const isOwn = caption !== undefined && index < messages.length - 1;
    const words =
      isOwn && element("div", { class: "text", dir: "auto" }, richText(caption, entities, actions));
    return element("div", { class: "album-item", "data-message-id": message.message_id }, media, words);
  });
  return element("div", { class: "album-stack", "data-testid": "album" }, ...items);
}

/** A row that is too low costs more than one too high; a lone tile in a large album looks stray. */
function rowCost(height: number, tiles: number, total: number): number {
  const best = Math.min(Math.max(ALBUM_HEIGHT_BEST / Math.ceil(total / 3), 115), 200);
  const distance = Math.log(height / best);
  const stray = tiles === 1 && total > 3 ? 0.6 : 0;
  return distance * distance * (distance < 0 ? 1.6 : 1) + stray;
}
