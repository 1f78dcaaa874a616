import { isConstraint } from "../../../database/errors.js";
import { integer } from "../../../platform/integer.js";
import type { UpstreamReference } from "../adapter.js";
import type { Acceptance } from "./accept-row.js";
import type { Attempt } from "./attempt.js";
import { deadlineMs } from "./poll-schedule.js";
import type { SpooledReference } from "./reference-spool.js";
import { persist, type ServiceContext } from "./service-context.js";

type Parts = Pick<ServiceContext, "store" | "spool" | "polls" | "clock" | "logger" | "closing" | "failPoint">;

/**
 * Writes the reference, or keeps it in the spool for as long as the database does not take it.
 * @returns an ambiguous attempt where another one has the task
 * @throws where the database refuses the row for good
 */
export async function recordAcceptance(
  parts: Parts,
  attempt: Attempt,
  reference: UpstreamReference,
): Promise<Attempt> {
  const { spool, logger, clock, closing, failPoint } = parts;
  const spooled = { uuid: attempt.uuid, reference, acceptedAt: clock.now() };
  if (closing.aborted) {
    spool.saveOrLog(spooled, logger);
    throw new Error("accepted after the end of the service");
  }
  spool.hold(spooled);
  try {
    const accepted = await acceptSpooled(parts, attempt, spooled).catch(async (error: unknown) => {
      if (isConstraint(error)) throw error;
      spool.saveOrLog(spooled, logger);
      failPoint("upstream:spooled");
      const written = await persist(parts, attempt, () => acceptSpooled(parts, attempt, spooled));
      spool.remove(attempt.uuid, logger);
      return written;
    });
    return accepted ?? attempt;
  } finally {
    spool.release(attempt.uuid);
  }
}

/** Returns undefined when the attempt has a reference, or can have none. */
export function acceptSpooled(
  parts: Pick<Parts, "store" | "polls">,
  attempt: Attempt,
  spooled: SpooledReference,
): Promise<Attempt | undefined> {
  return parts.store.accept(attempt.id, acceptanceOf(parts, attempt, spooled));
}

/** Builds an acceptance, with the deadline of the mapping, and the first poll as the service's schedule has it. */
export function acceptanceOf(
  { polls }: Pick<Parts, "polls">,
  attempt: Attempt,
  { reference, acceptedAt }: Omit<SpooledReference, "uuid">,
): Acceptance {
  const deadlineAt = integer(acceptedAt + deadlineMs(attempt.operation.poll));
  return { reference, acceptedAt, deadlineAt, dueAt: integer(acceptedAt + polls.firstPauseMs(attempt)) };
}
