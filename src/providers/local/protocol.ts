import { z } from "zod";
import { FAILURES } from "../../contract/job.js";
import { GENERATION_TYPES } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import { reasonOf } from "../../platform/reason-of.js";
import type { GenerationTask } from "../../ports/provider.js";
import { GenerationError } from "./generation-error.js";

/** What the service sends to a renderer process: one task at a time. */
const taskMessage = z.object({
  jobId: z.number(),
  request: z.looseObject({
    type: z.enum(GENERATION_TYPES),
    model_key: z.string(),
    prompt: z.string().optional(),
  }),
  model: z.string(),
  seed: z.number(),
  tracks: z.number(),
  references: z.array(z.string()),
  directory: z.string(),
});

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

/** What a renderer process sends back. `bytes` is its resident memory. */
export type Reply = z.infer<typeof replyMessage>;

/** @throws ZodError for anything but a task */
export function taskOf(message: unknown): GenerationTask {
  const { request, ...task } = taskMessage.parse(message);
  return { ...task, request: request as GenerationRequest };
}

/** `undefined` for anything but a reply. */
export function replyOf(message: unknown): Reply | undefined {
  return replyMessage.safeParse(message).data;
}

/** The reply for whatever a task ended with; `provider` for an error that nobody foresaw. */
export function failureReply(error: unknown): Reply {
  const failure = error instanceof GenerationError ? error.failure : "provider";
  return { kind: "failed", failure, message: reasonOf(error) };
}
