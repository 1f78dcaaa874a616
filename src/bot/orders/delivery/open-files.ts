import { ContractError } from "../../../contract/errors.js";
import { mapAtOnce } from "../../../platform/at-once.js";
import type { OpenedFile, ResultFile } from "../../../ports/gateway.js";
import {
  asDocument,
  isUploadable,
  type NewFile,
  type UndeliverableFile,
  undeliverable,
  withOpenedFacts,
} from "./outgoing-file.js";
import { isUndeliverable } from "./planned-file.js";

const OPENED_AT_ONCE = 4;

export interface OpenFiles {
  files: NewFile[];
  undeliverable: UndeliverableFile[];
  /** Ends what was not read. */
  close(): void;
}

/**
 * Opens files that are about to be sent. Each is read from the stream that is open, and opened anew for a further try.
 * @param isGivenUp judges a file once its size is known
 * @throws what opening a file fails with, unless it no longer exists
 */
export async function openFiles(
  files: readonly NewFile[],
  requestBytesMax: number,
  isGivenUp: (file: NewFile) => boolean = () => false,
): Promise<OpenFiles> {
  const opened: OpenedFile[] = [];
  const close = () => {
    for (const { stream } of opened) stream.destroy();
  };
  const open = async (file: NewFile): Promise<NewFile | UndeliverableFile> => {
    const first = await unlessGone(file.open());
    if (!first)
      return file.result ? open(asDocument(file.result, requestBytesMax)) : undeliverable(file, "gone");
    opened.push(first);
    const known = { ...withOpenedFacts(file, first), open: startingWith(first, file.open) };
    // What a photo would spoil is sent in the format that it was made in.
    if (known.as === "document" && file.as !== "document" && file.original) {
      first.stream.destroy();
      return open(asDocument(known, requestBytesMax));
    }
    const isTooLarge = !isUploadable(known, requestBytesMax);
    if (!isTooLarge && !isGivenUp(known)) return known;
    first.stream.destroy();
    return undeliverable(known, isTooLarge ? "too_large" : "not_taken");
  };
  try {
    const found = await mapAtOnce(OPENED_AT_ONCE, files, open);
    return {
      files: found.filter((file): file is NewFile => !isUndeliverable(file)),
      undeliverable: found.filter(isUndeliverable),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function startingWith(first: OpenedFile, open: ResultFile["open"]): ResultFile["open"] {
  let unread: OpenedFile | undefined = first;
  return async () => {
    const file = unread ?? (await open());
    unread = undefined;
    return file;
  };
}

async function unlessGone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ContractError && error.code === "job_not_found") return undefined;
    throw error;
  }
}
