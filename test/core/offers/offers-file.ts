import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file of offers that a test rewrites; a text is written as it is. */
export function offersFile(content: unknown = {}): { file: string; write: (content: unknown) => void } {
  const directory = mkdtempSync(join(tmpdir(), "atelier-offers-"));
  const file = join(directory, "offers.json");
  const write = (given: unknown) =>
    writeFileSync(file, typeof given === "string" ? given : JSON.stringify(given));
  write(content);
  return { file, write };
}
