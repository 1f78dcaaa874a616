/** What the wizard shows, of the size that the service's own cards have, for contestants without a card. */
export interface Screen {
  text: string;
  reply_markup: { inline_keyboard: { text: string; callback_data: string }[][] };
}

const TITLES = ["Nano Banana 2.1", "Nano Banana 2 Lite", "Nano Banana Pro", "GPT Image 2.5", "Seedream 5"];
const FORMATS = ["auto", "1:1", "3:2", "2:3", "4:3", "3:4", "5:4", "4:5", "16:9", "9:16", "21:9"];

function screen(text: string, rows: readonly (readonly string[])[]): Screen {
  const inline_keyboard = rows.map((row) =>
    row.map((label) => ({ text: label, callback_data: `wizard:${label}` })),
  );
  return { text, reply_markup: { inline_keyboard } };
}

export const MODELS = screen("<b>Choose a model</b>", [
  ...TITLES.map((title) => [`${title} · from 10 ₽`]),
  ["✖️ Cancel"],
]);

/** The card as it stands after a walk through the wizard; it also holds what the list of models offers. */
export const CARD = screen(
  `<b>${TITLES[0]}</b>\nSize: 2K\nFormat: 16:9\nImages: 3\n\nSend the description.\n\nPrice: 10 ₽\nBalance: 100 000 ₽`,
  [["Size: 2K", "Format: 16:9"], ["Images: 3"], ["✍️ Description", "🎨 Other model"], ["✖️ Cancel"]],
);

export const SIZES = screen(`<b>${TITLES[0]}</b>\nChoose: size`, [["1K", "2K", "4K"], ["‹ Back"]]);
export const FORMAT_LIST = screen(`<b>${TITLES[0]}</b>\nChoose: format`, [
  FORMATS.slice(0, 4),
  FORMATS.slice(4, 8),
  FORMATS.slice(8),
  ["‹ Back"],
]);
export const COUNTS = screen(`<b>${TITLES[0]}</b>\nChoose: images`, [["1", "2", "3", "4"], ["‹ Back"]]);
