import type { Json } from "../../../mapping/json.js";
import type { UpstreamFile } from "../../../mapping/operation.js";
import { takenOutputs } from "../../../mapping/read-outputs.js";
import type { Attempt } from "./attempt.js";
import { idsOf, type ServiceContext } from "./service-context.js";

/** Returns the files of a finished task that are fetched; undefined where it tells none. */
export function filesOf(
  { logger }: Pick<ServiceContext, "logger">,
  attempt: Attempt,
  document: Json,
): readonly UpstreamFile[] | undefined {
  const taken = takenOutputs(attempt.operation, document);
  if (taken && taken.told > taken.files.length) {
    const counts = { told: taken.told, taken: taken.files.length };
    logger.warn({ ...idsOf(attempt), ...counts }, "the task made more files than its job takes");
  }
  return taken?.files;
}

/** Tells why a finished task has no result, with what the service said of it at the submit. */
export function noFile(attempt: Attempt): string {
  const warnings = warningsOf(attempt);
  const detail = "the finished task has no file";
  return warnings === undefined ? detail : `${detail}; at the submit the service said: ${warnings}`;
}

export function warningsOf({ reference }: Pick<Attempt, "reference">): string | undefined {
  return typeof reference?.warnings === "string" ? reference.warnings : undefined;
}
