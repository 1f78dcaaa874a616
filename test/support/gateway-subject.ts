import type { JobId } from "../../src/contract/job.js";
import type { Gateway } from "../../src/ports/gateway.js";

/** What differs between services. */
export interface GatewayTraits {
  /**
   * It pays no lost files back by itself, leaves it to the order to keep its acceptance, so that a repeat knows of no
   * outcome, and is never sent a model that is not listed.
   */
  isElsewhere: boolean;
}

/** A service whose jobs end when the suite says so. */
export interface GatewaySubject {
  /** The gateway of a user of their own account, with this much added to the balance. */
  open(userId: number, kopecks?: number): Promise<Gateway>;
  /** Resolves when the job is `done`. */
  finish(gateway: Gateway, id: JobId): Promise<void>;
  /** Resolves when the job is `error`. */
  fail(gateway: Gateway, id: JobId): Promise<void>;
  /** Deletes the files of a finished job behind the service's back. */
  loseFiles(id: JobId): Promise<void>;
  /** Loses the answer to the next accepted submission. Absent where none can be lost. */
  loseAnswer?(): void;
  close(): Promise<void>;
}

export type OpenGatewaySubject = (settings: { refundsFailedJobs: boolean }) => Promise<GatewaySubject>;
