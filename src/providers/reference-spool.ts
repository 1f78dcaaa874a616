import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
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
    await this.#write(uuid, text);
    this.#unwritten.delete(uuid);
  }

  async read(uuid: string): Promise<HttpAnswer | undefined> {
    const held = this.#unwritten.get(uuid);
    const text = held ?? (await readFile(this.#fileOf(uuid), "utf8").catch(undefinedIfAbsent));
    return text === undefined ? undefined : { status: 200, headers: new Map(), text, fault: undefined };
  }

  async remove(uuid: string): Promise<void> {
    this.#unwritten.delete(uuid);
    await rm(this.#fileOf(uuid), { force: true });
  }

  /** Removes what the jobs of earlier processes have left. */
  async removeOld(now: number): Promise<void> {
    const names = (await readdir(this.directory).catch(undefinedIfAbsent)) ?? [];
    for (const name of names) {
      const path = join(this.directory, name);
      const { mtimeMs } = await stat(path);
      if (mtimeMs < now - KEPT_MS) await rm(path, { force: true });
    }
  }

  async #write(uuid: string, text: string): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const draft = `${this.#fileOf(uuid)}.new`;
    const handle = await open(draft, "w");
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.#fileOf(uuid));
    await syncDirectory(this.directory);
  }

  #fileOf(uuid: string): string {
    return join(this.directory, `${uuid}.json`);
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export interface SpooledReference {
  uuid: string;
  reference: UpstreamReference;
  acceptedAt: Integer;
}

const storedLine = z
  .object({ uuid: z.string(), reference: storedReference, accepted_at: z.number().transform(integer) })
  .transform(({ uuid, reference, accepted_at: acceptedAt }) => ({ uuid, reference, acceptedAt }));

/** Keeps references that the database does not take. */
export class ReferenceSpool extends Spool<SpooledReference> {
  constructor(file: string) {
    super(file, {
      noun: "reference",
      schema: storedLine,
      stored: ({ uuid, reference, acceptedAt }) => ({ uuid, reference, accepted_at: acceptedAt }),
      keyOf: ({ uuid }) => uuid,
      eventOf: ({ uuid, reference }) => ({ uuid, reference }),
    });
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
