import { Slices } from "../../../platform/slices.js";
import type { DataSection } from "../../../ports/personal-data.js";

const CHUNK_CHARACTERS = 64 * 1024;
/** One for all people: several who ask at once take turns. */
const slices = new Slices();

/**
 * Writes sections as one JSON object, a list of rows by the name of each. Rows are read as they are written. A document
 * that would be longer than `bytesMax` ends before that, with `"cut": true`. The event loop goes on every few ms.
 */
export async function* jsonDocument(
  sections: Iterable<DataSection>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  const pause = slices.begin();
  await pause();
  let written = 0;
  let chunk = "{";
  let isCut = false;
  for (const { name, rows } of sections) {
    if (isCut) break;
    chunk += `${written + chunk.length === 1 ? "" : ","}\n${JSON.stringify(name)}:[`;
    let comma = "";
    for (const row of rows) {
      await pause();
      const line = `${comma}\n${JSON.stringify(row)}`;
      // A character has at most three bytes for each UTF-16 unit.
      isCut = written + 3 * (chunk.length + line.length) > bytesMax;
      if (isCut) break;
      chunk += line;
      comma = ",";
      if (chunk.length < CHUNK_CHARACTERS) continue;
      const bytes = Buffer.from(chunk);
      written += bytes.length;
      yield bytes;
      chunk = "";
    }
    chunk += "]";
  }
  yield Buffer.from(`${chunk}${isCut ? ',\n"cut":true' : ""}\n}\n`);
}
