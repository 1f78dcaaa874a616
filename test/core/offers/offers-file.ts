import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../support/new-folder.js";

/** A file of offers that a test rewrites; a text is written as it is. */
export function offersFile(content: unknown = {}): { file: string; write: (content: unknown) => void } {
  const directory = newFolder();
  const file = join(directory, "offers.json");
  const write = (given: unknown) =>
    writeFileSync(file, typeof given === "string" ? given : JSON.stringify(given));
  write(content);
  return { file, write };
}
