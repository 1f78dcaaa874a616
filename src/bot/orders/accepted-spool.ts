import { z } from "zod";
import { asKopecks } from "../../contract/price.js";
import type { Logger } from "../../platform/logger.js";
import { SpoolFile } from "../../platform/spool-file.js";
import { storedJobIds } from "./order.js";

const spooledAcceptance = z.object({
  order_id: z.string(),
  job_ids: storedJobIds.min(1).readonly(),
  charged_kopecks: z.int().min(0).transform(asKopecks).optional(),
});
export type SpooledAcceptance = Readonly<z.infer<typeof spooledAcceptance>>;

/** Keeps job ids that the database does not take: a JSON line for each acceptance, read by the next start. */
export class AcceptedSpool {
  readonly #file: SpoolFile;
  readonly #held = new Map<string, SpooledAcceptance>();

  constructor(file: string) {
    this.#file = new SpoolFile(file);
  }

  /** Keeps room for a full disk, which is also why the database would refuse an acceptance. */
  reserve(): void {
    this.#file.reserve();
  }

  hold(acceptance: SpooledAcceptance): void {
    this.#held.set(acceptance.order_id, acceptance);
  }

  release(orderId: string): void {
    this.#held.delete(orderId);
  }

  /** Saves what is held when the process ends without knowing whether the database has it. Never throws. */
  saveHeld(logger: Logger): void {
    for (const acceptance of this.#held.values()) this.saveOrLog(acceptance, logger);
  }

  /** Logs the ids in any case. Never throws. */
  saveOrLog(acceptance: SpooledAcceptance, logger: Logger): void {
    const ids = { order_id: acceptance.order_id, job_ids: acceptance.job_ids };
    try {
      this.save(acceptance);
      logger.error(ids, "accepted order not written to the database, kept in the spool");
    } catch (error) {
      logger.error({ ...ids, err: error }, "accepted order neither written to the database nor to the spool");
    }
  }

  /** Saves an acceptance, which is on the disk when it returns. */
  save(acceptance: SpooledAcceptance): void {
    this.#file.append(JSON.stringify(acceptance));
  }

  /** Reads what was saved. `unreadable`: lines that a crash has cut. */
  read(): { acceptances: SpooledAcceptance[]; unreadable: string[] } {
    const acceptances: SpooledAcceptance[] = [];
    const unreadable: string[] = [];
    for (const line of this.#file.lines()) {
      const acceptance = readLine(line);
      if (acceptance) acceptances.push(acceptance);
      else unreadable.push(line);
    }
    return { acceptances, unreadable };
  }

  /** Removes the file with the last order. Lines that cannot be read go with it. */
  remove(orderId: string): void {
    const left = this.read().acceptances.filter((acceptance) => acceptance.order_id !== orderId);
    this.#file.replace(left.map((acceptance) => JSON.stringify(acceptance)));
  }
}

function readLine(line: string): SpooledAcceptance | undefined {
  try {
    return spooledAcceptance.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
