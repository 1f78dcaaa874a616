/** Codes of the operating system, and of SQLite, that say: the files cannot be written now. */
const STORAGE_CODES =
  /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|ENOTDIR|EIO|SQLITE_(FULL|IOERR|READONLY|CANTOPEN).*)$/;

/** True when an error, or what caused it, says that the disk is full, broken or not writable. */
export function isStorageError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && STORAGE_CODES.test(String(error.code))) return true;
  return error.cause !== undefined && isStorageError(error.cause);
}

/** True when another process has held the database's write lock for too long. */
export function isBusyError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_BUSY/.test(String(error.code));
}
