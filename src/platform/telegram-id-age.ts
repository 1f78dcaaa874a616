/**
 * Telegram ids that were seen new on a day. Ids grow with time, though not strictly.
 * Source: samples of public id collections (wjclub/telegram-bot-getids and its successors), looked up 2026-11-24.
 */
const KNOWN_IDS: readonly { id: number; bornBy: number }[] = [
  { id: 400_169_472, bornBy: Date.UTC(2017, 6, 31) },
  { id: 805_158_066, bornBy: Date.UTC(2019, 6, 15) },
  { id: 1_974_255_900, bornBy: Date.UTC(2021, 9, 12) },
  { id: 5_795_034_000, bornBy: Date.UTC(2022, 8, 2) },
  { id: 6_227_468_000, bornBy: Date.UTC(2023, 2, 20) },
  { id: 7_583_599_300, bornBy: Date.UTC(2025, 1, 16) },
  { id: 7_947_063_900, bornBy: Date.UTC(2025, 7, 2) },
  { id: 8_235_679_900, bornBy: Date.UTC(2025, 8, 25) },
];

/** Returns the latest time by which an id was given out. Undefined for an id above all known ones. */
export function latestBirthOf(userId: number): number | undefined {
  return KNOWN_IDS.find(({ id }) => userId <= id)?.bornBy;
}
