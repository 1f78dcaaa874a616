/**
 * Faults: `expired`: the address is no longer valid; `unreachable`: a later try may succeed; `not_media`: something
 * else than the expected kind, or damaged; `black`: what a safety checker puts in the place of a picture; `storage`: this machine's disk.
 */
export type OutputFault =
  | "expired"
  | "unreachable"
  | "not_media"
  | "black"
  | "too_large"
  | "forbidden_host"
  | "storage";

/** Reports a file that cannot be had. The message has no address, which may give access to the file. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  constructor(
    readonly fault: OutputFault,
    options?: ErrorOptions,
  ) {
    super(`result not taken: ${fault}`, options);
  }
}
