/** A fault at start that the operator can correct; the message is the one line they read. */
export class StartError extends Error {
  override readonly name: string = "StartError";
}
