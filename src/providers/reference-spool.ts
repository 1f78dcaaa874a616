import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { nodeMediaDisk as disk } from "../media/disk.js";
import { whereMissing } from "../platform/errors.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { Spool } from "../platform/spool.js";
import { DAY_MS } from "../platform/units.js";
import type { UpstreamReference } from "./adapter.js";
import { storedReference } from "./attempt-store.js";

/** Longest time for which a job is open. */
const KEPT_MS = 7 * DAY_MS;

/** Keeps answers of synchronous services, which are told once and too large for rows, until their jobs have ended. */
export class KeptAnswers {
  /** Answers that the disk did not take, for a job that runs again when it does. */
  readonly #unwritten = new Map<string, string>();

  constructor(private readonly directory: string) {}

  /** Saves the answer to the attempt `uuid` to the disk; it is in memory alone when this rejects. */
  async save(uuid: string, { text }: Pick<HttpAnswer, "text">): Promise<void> {
    this.#unwritten.set(uuid, text);
    const draft = `${this.#fileOf(uuid)}.new`;
    await disk.makeDirectory(this.directory);
    await disk.remove(draft);
    await disk.write(draft, [Buffer.from(text)]);
    await disk.rename(draft, this.#fileOf(uuid));
    await disk.sync(this.directory);
    this.#unwritten.delete(uuid);
  }

  async read(uuid: string): Promise<HttpAnswer | undefined> {
    const text =
      this.#unwritten.get(uuid) ??
      (await readFile(this.#fileOf(uuid), "utf8").catch(whereMissing(undefined)));
    return text === undefined ? undefined : { status: 200, headers: new Map(), text, fault: undefined };
  }

  async remove(uuid: string): Promise<void> {
    this.#unwritten.delete(uuid);
    await disk.remove(this.#fileOf(uuid));
  }

  /** Removes what the jobs of earlier processes have left. */
  async removeOld(now: number): Promise<void> {
    for (const name of await disk.list(this.directory)) {
      const path = join(this.directory, name);
      const { mtimeMs } = await stat(path);
      if (mtimeMs < now - KEPT_MS) await disk.remove(path);
    }
  }

  #fileOf(uuid: string): string {
    return join(this.directory, `${uuid}.json`);
  }
}

export interface SpooledReference {
  uuid: string;
  reference: UpstreamReference;
  accepted_at: Integer;
}

const storedLine = z.object({
  uuid: z.string(),
  reference: storedReference,
  accepted_at: z.number().transform(integer),
});

export class ReferenceSpool extends Spool<SpooledReference> {
  constructor(file: string) {
    super(file, { noun: "reference", schema: storedLine, keyOf: ({ uuid }) => uuid });
  }

  /** Never throws: a reference that stays is written once more. */
  remove(uuid: string, logger: Logger): void {
    try {
      this.forget(uuid);
    } catch (error) {
      logger.warn({ uuid, err: error }, "reference not removed from the spool");
    }
  }
}
