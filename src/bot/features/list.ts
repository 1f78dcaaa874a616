import { balance } from "./balance.js";
import { cancel } from "./cancel.js";
import { card } from "./card.js";
import { image, music, video } from "./compose.js";
import { corrections } from "./corrections.js";
import type { Feature } from "./feature.js";
import { help } from "./help.js";
import { keys } from "./keys.js";
import { language } from "./language.js";
import { longText } from "./long-text.js";
import { pictures } from "./pictures.js";
import { results } from "./results.js";
import { start } from "./start.js";
import { text } from "./text.js";
import { unhandled } from "./unhandled.js";

/**
 * Every feature, in the order in which updates pass them. Taps on cards are by far the most frequent and come
 * first. What takes any text or anything at all comes last.
 */
export const features: readonly Feature[] = [
  longText,
  card,
  results,
  start,
  image,
  video,
  music,
  balance,
  keys,
  language,
  help,
  cancel,
  corrections,
  pictures,
  text,
  unhandled,
];
