import { z } from "zod";
import { type Integer, integer } from "../../../platform/integer.js";
import type { Logger } from "../../../platform/logger.js";
import { SpoolFile } from "../../../platform/spool-file.js";
import type { UpstreamReference } from "../adapter.js";
import { storedReference } from "./attempt-table.js";

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
