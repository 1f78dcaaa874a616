import { StorageUnavailable } from "../ports/blob-store.js";

const STORAGE_CODES = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|ENOTDIR|EIO)$/;

/** Maps such system errors to StorageUnavailable. Returns other errors unchanged. */
export function asStorageError(error: unknown): unknown {
  const isStorage = error instanceof Error && "code" in error && STORAGE_CODES.test(String(error.code));
  return isStorage ? unavailable(error) : error;
}

/** Runs work that only writes files. Rejects with StorageUnavailable when it cannot write. */
export async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  return new StorageUnavailable(cause instanceof Error ? cause.message : String(cause), { cause });
}
