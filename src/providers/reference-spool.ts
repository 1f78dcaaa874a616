import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasCode } from "../platform/errors.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { SpoolFile } from "../platform/spool-file.js";
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
  if (hasCode(error, "ENOENT")) return undefined;
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

const storedLine = z.object({
  uuid: z.string(),
  reference: storedReference,
  accepted_at: z.number().transform(integer),
});

/** Keeps references that the database does not take: a JSON line for each, read by the next start. */
export class ReferenceSpool {
  readonly #file: SpoolFile;
  readonly #held = new Map<string, SpooledReference>();

  constructor(file: string) {
    this.#file = new SpoolFile(file);
  }

  reserve(): void {
    this.#file.reserve();
  }

  hold(spooled: SpooledReference): void {
    this.#held.set(spooled.uuid, spooled);
  }

  release(uuid: string): void {
    this.#held.delete(uuid);
  }

  /** Saves what is held when the process ends without knowing whether the database has it. Never throws. */
  saveHeld(logger: Logger): void {
    for (const spooled of this.#held.values()) this.saveOrLog(spooled, logger);
  }

  /** Saves a reference, which is on the disk when this returns, and logs it in any case. Never throws. */
  saveOrLog(spooled: SpooledReference, logger: Logger): void {
    const event = { uuid: spooled.uuid, reference: spooled.reference };
    try {
      this.#file.append(lineOf(spooled));
      logger.error(event, "reference not written to the database, kept in the spool");
    } catch (error) {
      logger.error({ ...event, err: error }, "reference neither written to the database nor to the spool");
    }
  }

  /** Reads the lines. `unreadable` ones were cut by a crash. */
  read(): { references: SpooledReference[]; unreadable: string[] } {
    const references: SpooledReference[] = [];
    const unreadable: string[] = [];
    for (const line of this.#file.lines()) {
      const spooled = readLine(line);
      if (spooled) references.push(spooled);
      else unreadable.push(line);
    }
    return { references, unreadable };
  }

  /** Removes a reference and unreadable lines. Never throws: a reference that stays is written once more. */
  remove(uuid: string, logger: Logger): void {
    try {
      const { references } = this.read();
      if (references.length > 0)
        this.#file.replace(references.filter((spooled) => spooled.uuid !== uuid).map(lineOf));
    } catch (error) {
      logger.warn({ uuid, err: error }, "reference not removed from the spool");
    }
  }
}

function lineOf({ uuid, reference, acceptedAt }: SpooledReference): string {
  return JSON.stringify({ uuid, reference, accepted_at: acceptedAt });
}

function readLine(line: string): SpooledReference | undefined {
  try {
    const { uuid, reference, accepted_at: acceptedAt } = storedLine.parse(JSON.parse(line));
    return { uuid, reference, acceptedAt };
  } catch {
    return undefined;
  }
}
