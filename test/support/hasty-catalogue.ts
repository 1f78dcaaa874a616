import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The catalogue in a file of this directory, with tasks that are looked at every 200 ms. */
export function hastyCatalogue(directory: string): string {
  const file = join(directory, "catalogue.json");
  const text = readFileSync("data/catalogue.json", "utf8");
  const hasty = text
    .replaceAll(/"first_ms": \d+/g, '"first_ms": 200')
    .replaceAll(/"every_ms": \[[^\]]*\]/g, '"every_ms": [200]')
    .replaceAll(/"every_ms": \d+/g, '"every_ms": 200');
  writeFileSync(file, hasty);
  return file;
}
