import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Json } from "../../catalogue/json.js";

const json: z.ZodType<Json> = z.json();

const step = z.strictObject({
  call: z.strictObject({
    method: z.enum(["GET", "POST", "PUT"]),
    url: z.string(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    json: json.exactOptional(),
    /** Names of the parts of a multipart body. */
    form: z.array(z.string()).exactOptional(),
  }),
  answer: z.strictObject({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    /** A JSON body as a value, any other as its text. */
    body: json,
    isJson: z.boolean(),
  }),
  /** The answer as the adapter reads it. */
  outcome: json,
});
export type RecordedStep = z.infer<typeof step>;

/** One request of one mapping, with every answer that was read: without keys, signatures and personal ids. */
export const recordingSchema = z.strictObject({
  format: z.literal(1),
  /** False for what was recorded against a stand-in or a proxy. */
  live: z.boolean(),
  recorded_at: z.iso.datetime(),
  provider: z.string().min(1),
  model_key: z.string().min(1),
  endpoint: z.string().min(1),
  request: z.looseObject({ type: z.enum(["image", "video", "music"]), model_key: z.string() }),
  attempt: z.strictObject({ id: z.string(), callbackUrl: z.string() }),
  seed: z.int(),
  tracks: z.int(),
  /** The submit, then the polls of the task. */
  steps: z.array(step).min(1),
  /** What the files were found to be; absent where none was taken. */
  files: z.array(json).exactOptional(),
});
export type Recording = z.infer<typeof recordingSchema>;

/** Reads every recording below a folder, by its path there. */
export function readRecordings(folder: string): readonly { path: string; recording: Recording }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .sort()
    .map((path) => ({
      path,
      recording: recordingSchema.parse(JSON.parse(readFileSync(join(folder, path), "utf8"))),
    }));
}
