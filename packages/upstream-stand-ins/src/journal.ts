import { appendFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ledgerEntrySchema } from "./ledger.js";
import { SERVICE_NAMES } from "./service-name.js";
import { taskSchema } from "./task.js";

export const ACCOUNT_STATES = ["good", "no-credit", "locked", "wrong-key"] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export const uploadSchema = z.object({
  id: z.string(),
  service: z.enum(SERVICE_NAMES),
  fileName: z.string(),
  mime: z.string(),
  base64: z.string(),
});
/** A file that was given to a service. */
export type Upload = z.infer<typeof uploadSchema>;

const lineSchema = z.discriminatedUnion("kind", [
  /** A new task, or its new state. */
  z.object({ kind: z.literal("task"), task: taskSchema }),
  z.object({ kind: z.literal("ledger"), entry: ledgerEntrySchema }),
  z.object({ kind: z.literal("breach"), breach: z.string() }),
  z.object({ kind: z.literal("skip"), skippedMs: z.number() }),
  z.object({ kind: z.literal("upload"), upload: uploadSchema }),
  z.object({ kind: z.literal("account"), service: z.enum(SERVICE_NAMES), state: z.enum(ACCOUNT_STATES) }),
]);
export type JournalLine = z.infer<typeof lineSchema>;

/**
 * What happened, a line each, in a file of a directory: written before anybody is told, so that the death of a
 * process loses nothing. Without a directory nothing is kept.
 */
export class Journal {
  readonly #path: string | undefined;

  constructor(directory: string | undefined) {
    if (directory !== undefined) mkdirSync(directory, { recursive: true });
    this.#path = directory === undefined ? undefined : join(directory, "upstreams.jsonl");
  }

  write(line: JournalLine): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  /** What an earlier run wrote. A last line that was cut is removed. */
  read(): JournalLine[] {
    if (this.#path === undefined) return [];
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole !== text) truncateSync(this.#path, Buffer.byteLength(whole));
    const lines = whole.split("\n").slice(0, -1);
    return lines.map((line) => lineSchema.parse(JSON.parse(line)));
  }
}
