import { balance } from "./balance.js";
import { cancel } from "./cancel.js";
import { corrections } from "./corrections.js";
import type { Feature } from "./feature.js";
import { help } from "./help.js";
import { image } from "./image.js";
import { keys } from "./keys.js";
import { language } from "./language.js";
import { results } from "./results.js";
import { start } from "./start.js";
import { text } from "./text.js";
import { unhandled } from "./unhandled.js";

/**
 * Every feature, in the order in which updates pass them. Taps on cards are by far the most frequent, and every
 * feature before them costs: they come first. What takes any text or anything at all comes last.
 */
export const features: readonly Feature[] = [
  image,
  results,
  start,
  balance,
  keys,
  language,
  help,
  cancel,
  corrections,
  text,
  unhandled,
];
