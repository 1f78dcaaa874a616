import { z } from "zod";
import { FAILURES } from "../contract/job.js";
import { reasonOf } from "../platform/reason-of.js";
import { GenerationError } from "./generation-error.js";

const file = z.object({
  path: z.string(),
  mime: z.string(),
  width: z.number().exactOptional(),
  height: z.number().exactOptional(),
  durationSec: z.number().exactOptional(),
  title: z.string().exactOptional(),
  original: z.object({ path: z.string(), mime: z.string() }).exactOptional(),
});

const replyMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), files: z.array(file) }),
  z.object({ kind: z.literal("failed"), failure: z.enum(FAILURES), message: z.string() }),
  /** Sent now and then where the service cannot see the memory of another process. */
  z.object({ kind: z.literal("memory"), bytes: z.number() }),
]);

/** What a child process sends back. `bytes` is its resident memory. */
export type Reply = z.infer<typeof replyMessage>;

/** `undefined` for anything but a reply. */
export function replyOf(message: unknown): Reply | undefined {
  return replyMessage.safeParse(message).data;
}

/** The reply for whatever a task ended with; `provider` for an error that nobody foresaw. */
export function failureReply(error: unknown): Reply {
  const failure = error instanceof GenerationError ? error.failure : "provider";
  return { kind: "failed", failure, message: reasonOf(error) };
}
