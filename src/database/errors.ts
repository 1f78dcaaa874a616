/** Matches SQLite's extended result code, such as `SQLITE_BUSY_SNAPSHOT`. */
function isResult(error: unknown, codes: RegExp): boolean {
  return error instanceof Error && "code" in error && codes.test(String(error.code));
}

export function isBusy(error: unknown): boolean {
  return isResult(error, /^SQLITE_BUSY/);
}

export function isFull(error: unknown): boolean {
  return isResult(error, /^SQLITE_FULL/);
}

export function isConstraint(error: unknown): boolean {
  return isResult(error, /^SQLITE_CONSTRAINT/);
}

/** Tells whether the disk is full, broken or not writable. */
export function isDiskFault(error: unknown): boolean {
  return isFull(error) || isResult(error, /^SQLITE_(IOERR|READONLY|CANTOPEN)/);
}
