import { z } from "zod";
import type { UpstreamReference } from "../../providers/adapter.js";

const nullish = z.unknown().optional();
const text = z.string();

/** Source: docs.fal.ai/documentation/model-apis/inference/queue */
const falTask = {
  request_id: text,
  response_url: z.url(),
  status_url: z.url(),
  cancel_url: z.url(),
  logs: nullish,
  metrics: nullish,
};
const falSubmit = z.strictObject({
  status: z.literal("IN_QUEUE"),
  ...falTask,
  queue_position: z.int().optional(),
});
const falStatus = z.strictObject({
  status: z.enum(["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]),
  ...falTask,
  queue_position: z.int().optional(),
  error: text.optional(),
  error_type: text.optional(),
});

/** Source: docs.kie.ai/market/common/get-task-detail */
function kieAnswer(data: z.ZodType) {
  return z.strictObject({ code: z.literal(200), msg: text, data });
}
const kieSubmit = kieAnswer(z.strictObject({ taskId: text, recordId: text.optional() }));
const kieRecord = kieAnswer(
  z.strictObject({
    taskId: text,
    model: text,
    state: z.enum(["waiting", "queuing", "generating", "success", "fail"]),
    param: text,
    resultJson: text.nullable(),
    failCode: text.nullable(),
    failMsg: text.nullable(),
    costTime: z.number().nullable(),
    completeTime: z.number().nullable(),
    createTime: z.number(),
    updateTime: z.number().nullish(),
    creditsConsumed: z.number().nullish(),
    progress: z.number().nullish(),
  }),
);

/** Source: polza.ai/docs/api-reference/media/create and /status */
const polzaMedia = z.strictObject({
  id: text,
  object: z.literal("media.generation"),
  status: z.enum(["pending", "processing", "completed", "failed"]),
  created: z.number(),
  completed_at: z.number().optional(),
  model: text,
  data: nullish,
  usage: z.looseObject({ cost_rub: z.number() }).nullish(),
  error: nullish,
  warnings: z.array(z.unknown()).max(0, "the service ignored a parameter").optional(),
});

/** Source: sections 4.4 and 2.4 of the contract. */
const jobId = z.union([z.int(), text]);
const generationSubmit = z.strictObject({
  ok: z.literal(true),
  job_id: jobId,
  job_ids: z.array(jobId).optional(),
  status: z.literal("queued"),
  cost_rub: z.number(),
  unit_cost_rub: z.number().optional(),
});
const generationJob = z.strictObject({
  ok: z.literal(true),
  job: z.looseObject({
    job_id: jobId,
    type: z.enum(["image", "video", "music"]),
    status: z.enum(["queued", "generating", "done", "error"]),
    cost_rub: z.number(),
    error: text.nullable(),
    created_at: text.nullable(),
  }),
});

/**
 * Returns what the pages of a service say of a good answer; undefined where none was seen. Stricter than the adapters,
 * which read only what they need.
 * @param reference of the task that was looked at; absent for a submit
 */
export function documentedAnswer(service: string, reference?: UpstreamReference): z.ZodType | undefined {
  switch (service) {
    case "fal":
      if (!reference) return falSubmit;
      return reference.step === "result" ? undefined : falStatus;
    case "kie":
      return reference ? kieRecord : kieSubmit;
    case "polza":
      return polzaMedia;
    case "generation_api":
      return reference ? generationJob : generationSubmit;
    default:
      return undefined;
  }
}
