import { z } from "zod";
import type { JobId } from "../contract/job.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { amountRub, JOB_IDS_MAX } from "./bounds.js";
import { parseJson } from "./read-answer.js";

/** An accepted submission (section 4.4). Amounts in rubles. */
export interface RemoteAccepted {
  job_id: JobId;
  /** The ids: `job_id` at least, and at most `JOB_IDS_MAX`. */
  job_ids: readonly JobId[];
  cost_rub: number | undefined;
  unit_cost_rub: number | undefined;
  /** Names of what was left out because no service has a reason for it. */
  problems: readonly string[];
}

/** Matches an id that needs no escaping in a path. */
const textId = z.string().regex(/^[\w~-][\w.~:-]{0,199}$/);
const jobId = z.union([z.int().min(1), textId]);
const amount = amountRub.optional().catch(undefined);

const accepted = z.object({
  job_id: jobId,
  job_ids: z.array(z.unknown()).catch([]),
  cost_rub: amount,
  unit_cost_rub: amount,
});

const toldCost = z.object({ cost_rub: z.unknown().refine((sum) => sum !== undefined && sum !== null) });
/** The most ids that are looked at. */
const IDS_READ_MAX = 2 * JOB_IDS_MAX;

/** Matches an id and the end of its value: trailing digits of a truncated text may be incomplete. */
const ID_IN_TEXT = /^\s*\{[^{}]*"job_id"\s*:\s*(?:([1-9]\d*)|"([^"\\]*)")\s*[,}]/;
const IDS_IN_TEXT = /^\s*\{[^{}]*"job_ids"\s*:\s*\[([\d,\s]*)\]/;

/** Reads an acceptance. A readable `job_id` means that the job exists, even in a truncated response. */
export function readAccepted({ text }: HttpAnswer): RemoteAccepted | undefined {
  const body = parseJson(text);
  const result = accepted.safeParse(body);
  if (!result.success) return readCut(text);
  const { job_id, job_ids, cost_rub, unit_cost_rub } = result.data;
  const others = job_ids.slice(0, IDS_READ_MAX).flatMap((id) => jobId.safeParse(id).data ?? []);
  const problems = cost_rub === undefined && toldCost.safeParse(body).success ? ["cost_rub: no amount"] : [];
  return { ...withIds(job_id, others, problems), cost_rub, unit_cost_rub };
}

function withIds(id: JobId, others: readonly JobId[], problems: readonly string[] = []) {
  const named = new Map<string, JobId>();
  for (const one of [id, ...others]) if (!named.has(String(one))) named.set(String(one), one);
  const ids = [...named.values()];
  const more = ids.length > JOB_IDS_MAX ? [`job_ids: more than ${JOB_IDS_MAX}`] : [];
  return { job_id: id, job_ids: ids.slice(0, JOB_IDS_MAX), problems: [...problems, ...more] };
}

function readCut(text: string): RemoteAccepted | undefined {
  const [, digits, name] = ID_IN_TEXT.exec(text) ?? [];
  const id = jobId.safeParse(digits === undefined ? name : idOf(digits));
  if (!id.success) return undefined;
  const [, list = ""] = IDS_IN_TEXT.exec(text) ?? [];
  const others = (list.match(/\d+/g) ?? []).slice(0, IDS_READ_MAX).map(idOf);
  return { ...withIds(id.data, others), cost_rub: undefined, unit_cost_rub: undefined };
}

function idOf(digits: string): JobId {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}
