import { acceptSpooled } from "./record-acceptance.js";
import type { SpooledReference } from "./reference-spool.js";
import { idsOf, type ServiceContext } from "./service-context.js";

type Parts = Pick<ServiceContext, "store" | "spool" | "polls" | "logger">;

/** Writes the references that an earlier process could not write. Never throws: their attempts are then doubtful. */
export async function recoverReferences(parts: Parts): Promise<void> {
  for (const spooled of readSpooled(parts)) {
    try {
      await apply(parts, spooled);
    } catch (error) {
      parts.logger.error({ uuid: spooled.uuid, err: error }, "spooled reference not applied");
    }
  }
}

function readSpooled({ spool, logger }: Parts): SpooledReference[] {
  try {
    const { references, unreadable } = spool.read();
    for (const line of unreadable) logger.error({ line }, "spooled reference cannot be read");
    return references;
  } catch (error) {
    logger.error({ err: error }, "spool of references cannot be read");
    return [];
  }
}

async function apply(parts: Parts, spooled: SpooledReference): Promise<void> {
  const { store, spool, logger } = parts;
  const attempt = store.findByUuid(spooled.uuid);
  if (!attempt) return;
  const accepted = await acceptSpooled(parts, attempt, spooled);
  if (accepted?.state === "ambiguous")
    logger.error({ ...idsOf(accepted), detail: accepted.detail }, "attempt ambiguous: its task is another's");
  else if (accepted) logger.info(idsOf(accepted), "attempt accepted by an earlier process");
  spool.remove(spooled.uuid, logger);
}
