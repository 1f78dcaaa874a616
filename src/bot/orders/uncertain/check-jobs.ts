import { ContractError } from "../../../contract/errors.js";
import type { JobId } from "../../../contract/job.js";
import type { GenerationType } from "../../../contract/model.js";
import { type Kopecks, kopecksOf, sumOf } from "../../../contract/money.js";
import type { Logger } from "../../../platform/logger.js";
import type { Gateway } from "../../../ports/gateway.js";
import { needsAccount } from "../../account-needed.js";
import type { Order } from "../store/order.js";
import { jobsExpected } from "./admin-screen.js";

export type JobFault =
  | { fault: "id"; word: string }
  | { fault: "count"; given: number; count: number }
  | { fault: "missing"; word: string }
  | { fault: "type"; word: string; found: GenerationType; type: GenerationType }
  | { fault: "taken"; word: string }
  /** The person has ordered the same again since the order was settled as not charged. */
  | { fault: "newer"; word: string }
  | { fault: "no_key"; word: string }
  | { fault: "unchecked"; word: string };

/** Matches the ids that the client of a Generation API takes. */
const JOB_ID = /^[\w~-][\w.~:-]{0,199}$/;
const NOT_THERE = new Set(["job_not_found", "bad_job_id"]);

/** Reads the job ids of an order as an admin types them: separated by spaces or commas. */
export function readJobIds(text: string, order: Order): readonly JobId[] | JobFault {
  const words = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const wrong = words.find((word) => !JOB_ID.test(word));
  if (wrong !== undefined || words.length === 0) return { fault: "id", word: wrong ?? text };
  const count = jobsExpected(order);
  if (words.length !== count) return { fault: "count", given: words.length, count };
  return words.map(jobIdOf);
}

function jobIdOf(word: string): JobId {
  const number = Number(word);
  return /^[1-9]\d*$/.test(word) && Number.isSafeInteger(number) ? number : word;
}

/** Asks the service for each job: the cost of all, when the account has them and they are of the order's kind. */
export async function costOfJobs(
  jobIds: readonly JobId[],
  { id, request: { type } }: Order,
  gateway: Gateway,
  logger: Logger,
): Promise<Kopecks | JobFault> {
  const costs: Kopecks[] = [];
  for (const jobId of jobIds) {
    const word = String(jobId);
    try {
      const { type: found, cost_rub } = await gateway.job(jobId);
      if (found !== type) return { fault: "type", word, found, type };
      costs.push(kopecksOf(cost_rub));
    } catch (error) {
      if (error instanceof ContractError && NOT_THERE.has(error.code)) return { fault: "missing", word };
      logger.warn({ order_id: id, job_id: jobId, err: error }, "job of an uncertain order not checked");
      return { fault: needsAccount(error) ? "no_key" : "unchecked", word };
    }
  }
  return sumOf(costs);
}
