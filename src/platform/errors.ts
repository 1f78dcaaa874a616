/** Reports a fault at start that the operator can correct; the message is the one line they read. */
export class StartError extends Error {
  override readonly name: string = "StartError";
}

/** Reports a setting that was read well and cannot be used. */
export function settingFault(variable: string, what: string, error: unknown): StartError {
  return new StartError(`${variable}: ${what} (${reasonOf(error)})`, { cause: error });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Tells whether a system call has failed so: `ENOENT`, `EEXIST`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** Handles the rejection of a call of the file system: `instead` where the file is missing. Throws any other error. */
export function whereMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (hasCode(error, "ENOENT")) return instead;
    throw error;
  };
}
