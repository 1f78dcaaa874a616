import { HOUR_MS } from "../../../platform/units.js";
import type { Operation } from "../../../routes/operation.js";
import { filledOperation, type SoldOperation } from "../../../routes/sold-operation.js";
import { deadlineMs } from "./poll-schedule.js";

/** Gives files to a service. */
export interface ReferencePublisher {
  /** Resolves with an address for each path, valid for `lifeMs`. */
  publish(paths: readonly string[], lifeMs: number, signal: AbortSignal): Promise<readonly string[]>;
}

export interface PlanOptions {
  callbackUrl: string;
  references: ReferencePublisher;
}

/** What was sold, with links to its references that the service can read. */
export async function planOperation(
  { callbackUrl, references }: PlanOptions,
  sold: SoldOperation,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Operation> {
  // It may wait for a deadline before it is sent.
  const lifeMs = 2 * deadlineMs(sold.operation.poll) + HOUR_MS;
  const links = paths.length === 0 ? [] : await references.publish(paths, lifeMs, signal);
  return filledOperation(sold, { links, callbackUrl });
}
