/**
 * `expired`: the address is no longer valid; `unreachable`: a later try may succeed; `not_media`: something else than
 * the expected kind, or damaged; `storage`: this machine's disk.
 */
export type OutputFault =
  | "expired"
  | "unreachable"
  | "not_media"
  | "too_large"
  | "forbidden_host"
  | "storage";

/** The message never contains the address: it may give access to the file. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  constructor(
    readonly fault: OutputFault,
    options?: ErrorOptions,
  ) {
    super(`result not taken: ${fault}`, options);
  }
}
