import { z } from "zod";
import type { JobId } from "../contract/job.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { parseJson } from "./read-answer.js";

/** An accepted submission (section 4.4). Amounts in rubles. */
export interface RemoteAccepted {
  job_id: JobId;
  /** At least `job_id`. */
  job_ids: readonly JobId[];
  cost_rub: number | undefined;
  unit_cost_rub: number | undefined;
}

/** Needs no escaping in a path. */
const textId = z.string().regex(/^[\w~-][\w.~:-]{0,199}$/);
const jobId = z.union([z.int().min(1), textId]);
const amount = z.number().min(0).optional().catch(undefined);

const accepted = z.object({
  job_id: jobId,
  job_ids: z.array(jobId.optional().catch(undefined)).catch([]),
  cost_rub: amount,
  unit_cost_rub: amount,
});

/** An id and the end of its value: trailing digits of a truncated text may be incomplete. */
const ID_IN_TEXT = /^\s*\{[^{}]*"job_id"\s*:\s*(?:([1-9]\d*)|"([^"\\]*)")\s*[,}]/;
const IDS_IN_TEXT = /^\s*\{[^{}]*"job_ids"\s*:\s*\[([\d,\s]*)\]/;

/** A readable `job_id` means that the job exists, even in an otherwise invalid or truncated response. */
export function readAccepted({ text }: HttpAnswer): RemoteAccepted | undefined {
  const result = accepted.safeParse(parseJson(text));
  if (!result.success) return readCut(text);
  const { job_id, job_ids, cost_rub, unit_cost_rub } = result.data;
  const others = job_ids.filter((id): id is JobId => id !== undefined && id !== job_id);
  return { job_id, job_ids: [job_id, ...others], cost_rub, unit_cost_rub };
}

function readCut(text: string): RemoteAccepted | undefined {
  const [, digits, name] = ID_IN_TEXT.exec(text) ?? [];
  const id = jobId.safeParse(digits === undefined ? name : idOf(digits));
  if (!id.success) return undefined;
  const [, list = ""] = IDS_IN_TEXT.exec(text) ?? [];
  const others = (list.match(/\d+/g) ?? []).map(idOf).filter((other) => other !== id.data);
  return { job_id: id.data, job_ids: [id.data, ...others], cost_rub: undefined, unit_cost_rub: undefined };
}

function idOf(digits: string): JobId {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}
