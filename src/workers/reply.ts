import { z } from "zod";
import { FAILURES } from "../contract/job.js";
import { reasonOf } from "../platform/errors.js";
import { GenerationError } from "./generation-error.js";

const file = z.object({
  path: z.string(),
  mime: z.string(),
  width: z.number().exactOptional(),
  height: z.number().exactOptional(),
  durationSec: z.number().exactOptional(),
  title: z.string().exactOptional(),
  unjudged: z.string().exactOptional(),
  original: z.object({ path: z.string(), mime: z.string() }).exactOptional(),
});

const replyMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), files: z.array(file) }),
  z.object({ kind: z.literal("failed"), failure: z.enum(FAILURES), message: z.string() }),
  /** Tells, now and then, the memory of a process that the service cannot see. */
  z.object({ kind: z.literal("memory"), bytes: z.number() }),
]);

/** Reply of a child process. `bytes` is its resident memory. */
export type Reply = z.infer<typeof replyMessage>;

/** Returns undefined for anything but a reply. */
export function replyOf(message: unknown): Reply | undefined {
  return replyMessage.safeParse(message).data;
}

/** Builds the reply for whatever a task ended with; `provider` for an error that nobody foresaw. */
export function failureReply(error: unknown): Reply {
  const failure = error instanceof GenerationError ? error.failure : "provider";
  return { kind: "failed", failure, message: reasonOf(error) };
}
