import { readFileSync } from "node:fs";
import { z } from "zod";

/** A doubt: what is taken for true of a service, and could not be seen without its key. */
const doubtSchema = z.strictObject({
  service: z.string().min(1),
  /** The models whose mappings lean on it; absent where all of the service do. */
  models: z.array(z.string().min(1)).min(1).exactOptional(),
  doubt: z.string().min(1),
  /** The nearest page or code that was seen. */
  source: z.url(),
  /** Files that lean on it, besides the mappings of `models`. */
  used: z.array(z.string().min(1)).min(1).exactOptional(),
  check: z.string().min(1),
});
export type Doubt = z.infer<typeof doubtSchema>;

/** Reads the doubts. Throws where the file is missing or broken. */
export function readDoubts(file: string): readonly Doubt[] {
  return z.array(doubtSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Lists what a request of this model may settle. */
export function doubtsOf(doubts: readonly Doubt[], service: string, modelKey: string): readonly Doubt[] {
  return doubts
    .filter((doubt) => doubt.service === service && (doubt.models?.includes(modelKey) ?? true))
    .filter(({ check }) => check.startsWith("npm run upstream:check "));
}
