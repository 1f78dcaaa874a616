import { GrammyError, HttpError } from "grammy";
import { isTooLarge, telegramFailure } from "../../telegram/failure.js";
import { UnreadableAnswerError } from "../../telegram/fetch.js";
import { isBeyondLimit, UnreadableFileError } from "../../telegram/upload.js";
import { isSameResult, type ResultRef, type UploadFailures } from "../store/delivery.js";
import type { NewFile } from "./outgoing-file.js";

/** The number of failures after which a file is sent alone, then as a document and no original, then not at all. */
const ALONE_AFTER = 2;
const AS_DOCUMENT_AFTER = 5;
const GIVEN_UP_AFTER = 8;

/**
 * `beyond_limit`: the file of unknown size is larger than an upload may be; `too_large`: the server refused the size of
 * the request; `cut_off`: the connection broke or timed out; `in_part`: it is unknown which items of the album have
 * arrived.
 */
export type UploadFault = "beyond_limit" | "too_large" | "cut_off" | "in_part";

/** Returns undefined when the upload did not cause the error. */
export function uploadFaultOf(error: unknown, files: readonly ResultRef[]): UploadFault | undefined {
  if (isBeyondLimit(error)) return "beyond_limit";
  if (isTooLarge(error)) return "too_large";
  if (error instanceof HttpError) return isCutOff(error.error) ? "cut_off" : undefined;
  if (!(error instanceof GrammyError) || error.error_code !== 400 || files.length === 1) return undefined;
  const { kind } = telegramFailure(error);
  return kind === "wait" || kind === "again" ? "in_part" : undefined;
}

function isCutOff(cause: unknown): boolean {
  if (cause instanceof UnreadableFileError) return false;
  // A 5xx is a transient fault of the server, not of the files.
  return !(cause instanceof UnreadableAnswerError && cause.status >= 500);
}

export function withFault(
  known: readonly UploadFailures[],
  files: readonly ResultRef[],
  fault: UploadFault,
): UploadFailures[] {
  const others = known.filter((one) => !files.some((file) => isSameResult(file, one)));
  const counted = files.map(({ index, track }) => {
    const before = timesFailed(known, { index, track });
    const times = timesAfter(fault, before, files.length);
    return { index, track, times, ...(fault === "beyond_limit" && { isTooLarge: true }) };
  });
  return [...others, ...counted];
}

function timesAfter(fault: UploadFault, before: number, files: number): number {
  switch (fault) {
    case "beyond_limit":
      return GIVEN_UP_AFTER;
    case "cut_off":
      return before + 1;
    case "too_large":
      return files > 1 ? Math.max(before, ALONE_AFTER) : GIVEN_UP_AFTER;
    case "in_part":
      // No more than `ALONE_AFTER`: when the files are sent one by one, at most one of them arrives twice.
      return Math.max(before, Math.min(before + 1, ALONE_AFTER));
  }
}

function timesFailed(known: readonly UploadFailures[], ref: ResultRef): number {
  return known.find((one) => isSameResult(one, ref))?.times ?? 0;
}

export function isKnownTooLarge(known: readonly UploadFailures[], ref: ResultRef): boolean {
  return known.some((one) => one.isTooLarge && isSameResult(one, ref));
}

export function isGivenUp(known: readonly UploadFailures[], ref: ResultRef): boolean {
  return timesFailed(known, ref) >= GIVEN_UP_AFTER;
}

export function afterFailures(known: readonly UploadFailures[], file: NewFile): NewFile {
  const times = timesFailed(known, file);
  const isLastResort = times >= AS_DOCUMENT_AFTER;
  return {
    ...(isLastResort ? (file.result ?? file) : file),
    ...(times >= ALONE_AFTER && { isAlone: true }),
    ...(isLastResort && { as: "document", isDocument: true }),
  };
}

export function leastTimesFailed(known: readonly UploadFailures[], files: readonly ResultRef[]): number {
  return Math.min(...files.map((file) => timesFailed(known, file)));
}

/** Thrown when Telegram is reachable but does not take the files. The number of retries is limited. */
export class UploadError extends Error {
  override readonly name = "UploadError";

  /** @param times failures of the file that has failed least */
  constructor(
    readonly times: number,
    cause: unknown,
  ) {
    super("upload failed", { cause });
  }
}
