import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { JobId } from "../../../contract/job.js";
import type { Kopecks } from "../../../contract/money.js";
import type { Logger } from "../../../platform/logger.js";
import { makeDirectory } from "../../../platform/make-directory.js";
import { storedJobIds } from "../store/order.js";

const MODE = 0o600;
/** Room for thousands of acceptances, freed when the disk is full. */
const RESERVE_BYTES = 256 * 1024;

export interface SpooledAcceptance {
  orderId: string;
  jobIds: readonly JobId[];
  /** Undefined where it is not known. */
  chargedKopecks?: Kopecks | undefined;
}

const storedLine = z.object({
  order_id: z.string(),
  job_ids: storedJobIds.min(1),
  charged_kopecks: z.int().min(0).optional(),
});

/**
 * Keeps job ids that the database does not take: a file with a JSON line for each acceptance, read by the next
 * start. Synchronous, so that it works while the process ends.
 */
export class AcceptedSpool {
  readonly #file: string;
  readonly #reserveFile: string;
  readonly #held = new Map<string, SpooledAcceptance>();

  constructor(file: string) {
    this.#file = file;
    this.#reserveFile = `${file}.reserve`;
  }

  /** Keeps room for a full disk, which is also why the database would refuse an acceptance. */
  reserve(): void {
    if (existsSync(this.#reserveFile)) return;
    makeDirectory(dirname(this.#file));
    // A file of zeros may take no room.
    writeDurably(this.#reserveFile, "w", Buffer.alloc(RESERVE_BYTES, "x"));
  }

  /** Remembers an acceptance that is being written to the database. */
  hold(acceptance: SpooledAcceptance): void {
    this.#held.set(acceptance.orderId, acceptance);
  }

  release(orderId: string): void {
    this.#held.delete(orderId);
  }

  /** For the end of the process, when it is unknown whether the database has what is held. Never throws. */
  saveHeld(logger: Logger): void {
    for (const acceptance of this.#held.values()) this.saveOrLog(acceptance, logger);
  }

  /** Logs the ids in any case. Never throws. */
  saveOrLog(acceptance: SpooledAcceptance, logger: Logger): void {
    const ids = { order_id: acceptance.orderId, job_ids: acceptance.jobIds };
    try {
      this.save(acceptance);
      logger.error(ids, "accepted order not written to the database, kept in the spool");
    } catch (error) {
      logger.error({ ...ids, err: error }, "accepted order neither written to the database nor to the spool");
    }
  }

  /** On the disk when it returns. */
  save(acceptance: SpooledAcceptance): void {
    makeDirectory(dirname(this.#file));
    try {
      this.#append(acceptance);
    } catch (error) {
      if (!hasCode(error, "ENOSPC")) throw error;
      rmSync(this.#reserveFile, { force: true });
      this.#append(acceptance);
    }
  }

  /** `unreadable`: lines that a crash has cut. */
  read(): { acceptances: SpooledAcceptance[]; unreadable: string[] } {
    const acceptances: SpooledAcceptance[] = [];
    const unreadable: string[] = [];
    for (const line of this.#lines()) {
      const acceptance = readLine(line);
      if (acceptance) acceptances.push(acceptance);
      else unreadable.push(line);
    }
    return { acceptances, unreadable };
  }

  /** Removes the file with the last order. Lines that cannot be read go with it. */
  remove(orderId: string): void {
    const left = this.read().acceptances.filter((acceptance) => acceptance.orderId !== orderId);
    if (left.length === 0) {
      rmSync(this.#file, { force: true });
      return;
    }
    const draft = `${this.#file}.new`;
    writeDurably(draft, "w", left.map((acceptance) => `${lineOf(acceptance)}\n`).join(""));
    renameSync(draft, this.#file);
    syncDirectory(this.#file);
  }

  #append(acceptance: SpooledAcceptance): void {
    // A line of its own, also after one that a crash or a full disk has cut.
    writeDurably(this.#file, "a", `\n${lineOf(acceptance)}\n`);
    syncDirectory(this.#file);
  }

  #lines(): string[] {
    try {
      return readFileSync(this.#file, "utf8").split("\n").filter(Boolean);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function lineOf({ orderId, jobIds, chargedKopecks }: SpooledAcceptance): string {
  return JSON.stringify({ order_id: orderId, job_ids: jobIds, charged_kopecks: chargedKopecks });
}

function readLine(line: string): SpooledAcceptance | undefined {
  try {
    const stored = storedLine.parse(JSON.parse(line));
    const { order_id: orderId, job_ids: jobIds, charged_kopecks: chargedKopecks } = stored;
    return { orderId, jobIds, ...(chargedKopecks !== undefined && { chargedKopecks }) };
  } catch {
    return undefined;
  }
}

function writeDurably(file: string, flags: "a" | "w", content: string | Buffer): void {
  const handle = openSync(file, flags, MODE);
  try {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function syncDirectory(file: string): void {
  const handle = openSync(dirname(file), "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
