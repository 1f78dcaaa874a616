/** Why a task failed: its picture cannot be read, its file cannot be written, or anything else. */
export type RenderFailure = "reference" | "storage" | "provider";

/** The task failed; the message can be shown to people. */
export class RenderError extends Error {
  override readonly name = "RenderError";
  constructor(
    readonly failure: RenderFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
