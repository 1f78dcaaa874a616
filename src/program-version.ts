import { readFileSync } from "node:fs";
import { z } from "zod";

/** Reads the version of this program from its package. */
export function programVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
