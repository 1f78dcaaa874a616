import type { Failure } from "../../contract/job.js";
import type { Transaction } from "../../database/transaction.js";
import { insertMediaFile, type MediaRole } from "../../media/media-table.js";
import type { Integer } from "../../platform/integer.js";
import { appendEntry, SERVICE_ACTOR } from "../ledger/ledger-store.js";
import { deleteOperation } from "./job-operations.js";
import { failJob, finishJob, type JobRow } from "./job-store.js";
import type { KeptFile } from "./keep-files.js";

export function settleDone(tx: Transaction, job: JobRow, files: readonly KeptFile[], at: Integer): boolean {
  if (!finishJob(tx, job.id, at)) return false;
  deleteOperation(tx, job.id);
  insertResults(tx, job, files, at);
  return true;
}

export function insertResults(tx: Transaction, job: JobRow, files: readonly KeptFile[], at: Integer): void {
  for (const [index, file] of files.entries()) {
    const row = {
      ...placeOf(job, files, index),
      account_id: job.account_id,
      job_id: job.id,
      width: pixels(file.width),
      height: pixels(file.height),
      duration_sec: file.durationSec ?? null,
      title: file.title ?? null,
      created_at: at,
    };
    const { name, mime, size, original } = file;
    insertMediaFile(tx, { ...row, name, mime, size });
    if (original) insertMediaFile(tx, { ...row, role: "original", ...original });
  }
}

/** Called in the transaction of a refund: providers mark what they took of the job, in tables of their own. */
export type OnRefund = (tx: Transaction, jobId: number) => void;

export interface JobEnding {
  failure: Failure;
  error: string;
  isRefunded: boolean;
  at: Integer;
  onRefund: OnRefund;
}

/** Ends a job in `error` and refunds its cost. Returns false when it had already ended. */
export function settleFailed(tx: Transaction, job: JobRow, ending: JobEnding): boolean {
  const isRefunded = ending.isRefunded && job.cost > 0;
  if (!failJob(tx, job.id, { ...ending, isRefunded })) return false;
  deleteOperation(tx, job.id);
  if (isRefunded) {
    ending.onRefund(tx, job.id);
    const { account_id: accountId, cost: kopecks } = job;
    const { at } = ending;
    const idempotencyKey = `refund:${job.id}`;
    appendEntry(tx, accountId, "refund", kopecks, {
      reason: ending.failure,
      actor: SERVICE_ACTOR,
      orderId: job.order_id,
      jobId: job.id,
      idempotencyKey,
      at,
    });
  }
  return true;
}

/** Makes an image among tracks, or beside a video, the cover of the preceding file, or else of the first. */
function placeOf(
  job: JobRow,
  files: readonly KeptFile[],
  index: number,
): { role: MediaRole; position: number } {
  const isPicture = (file: KeptFile) => file.mime.startsWith("image/");
  if (job.type === "image" || files.every(isPicture)) return { role: "result", position: index };
  const filesBefore = files.slice(0, index).filter((file) => !isPicture(file)).length;
  const file = files[index];
  return file && isPicture(file)
    ? { role: "cover", position: Math.max(0, filesBefore - 1) }
    : { role: "result", position: filesBefore };
}

function pixels(value: number | undefined): number | null {
  return value !== undefined && Number.isInteger(value) && value > 0 ? value : null;
}
