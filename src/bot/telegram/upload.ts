import type { Readable } from "node:stream";
import { InputFile } from "grammy";

/** What ends a name early, or a header. */
const UNSAFE = /["\\;\p{Cc}]/gu;

/**
 * A file to upload under a name of any words. It is opened only when it is read, and anew for each try, so that
 * nothing stays open when a call ends before.
 *
 * grammY writes the name without quotes, which strict readers end at a blank. Telegram's server takes the
 * quotes off, and ends a name at a semicolon even inside them (td, HttpReader.cpp).
 */
export function uploadOf(open: () => Promise<Readable>, name: string): InputFile {
  return new InputFile(open, `"${name.replace(UNSAFE, "_")}"`);
}
