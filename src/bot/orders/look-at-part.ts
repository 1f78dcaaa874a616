import { ContractError } from "../../contract/errors.js";
import type { Gateway } from "../../contract/gateway.js";
import type { Job } from "../../contract/job.js";
import { jobIdOf } from "./file-sender.js";
import type { Order } from "./order.js";
import { isUploadable, type Outgoing, outgoingOf, type Part, publicLink, type Unsent } from "./outgoing.js";

/** Looks at a finished file and says how it is sent, or why it cannot be. */
export async function lookAtPart(
  gateway: Gateway,
  order: Order,
  jobs: readonly Job[],
  part: Part,
): Promise<Outgoing | Unsent> {
  const job = jobs[part.index];
  try {
    const file = await gateway.openResult(jobIdOf(order, part), part.track);
    file.stream.destroy();
    if (isUploadable(file)) return outgoingOf(part, file, job);
    return { ...part, reason: "too_large", size: file.size, link: publicLink(job, part) };
  } catch (error) {
    if (!(error instanceof ContractError) || error.code !== "job_not_found") throw error;
    return { ...part, reason: "gone", size: 0, link: undefined };
  }
}

export function isUnsent(piece: Outgoing | Unsent): piece is Unsent {
  return "reason" in piece;
}
