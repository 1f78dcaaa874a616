import { z } from "zod";
import { GENERATION_TYPES } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { GenerationTask } from "../../ports/provider.js";

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

/** @throws ZodError for anything but a task */
export function taskOf(message: unknown): GenerationTask {
  const { request, ...task } = taskMessage.parse(message);
  return { ...task, request: request as GenerationRequest };
}
