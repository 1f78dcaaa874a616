import { z } from "zod";
import type { Json } from "../../../mapping/mapping.js";
import type { Operation } from "../../../mapping/operation.js";
import type { UpstreamReference } from "../adapter.js";
import { taskIdField, urlField } from "../bounds.js";

const address = urlField.regex(/^https?:/);

const taskSchema = z.looseObject({
  request_id: z.string(),
  status_url: address,
  response_url: address,
  cancel_url: address,
  /** Price of one billable unit, as the catalogue has it. */
  unit: z.looseObject({ amount: z.number(), currency: z.string() }).optional().catch(undefined),
  step: z.literal("result").optional().catch(undefined),
  /** Error of the status of a task that ended without a result. */
  error: z.string().optional().catch(undefined),
});
export type FalTask = z.infer<typeof taskSchema>;

const NOWHERE: FalTask = {
  request_id: "",
  status_url: "https://queue.fal.run/",
  response_url: "https://queue.fal.run/",
  cancel_url: "https://queue.fal.run/",
};

const addresses = z.looseObject({
  request_id: taskIdField,
  status_url: address.optional().catch(undefined),
  response_url: address.optional().catch(undefined),
  cancel_url: address.optional().catch(undefined),
});

/** Builds a task from an answer with a `request_id`. Addresses that it lacks are made as the service documents them. */
export function falTask(document: Json | undefined, operation: Operation): UpstreamReference {
  const { request_id: id, ...given } = addresses.parse(document);
  const [owner, application] = operation.endpoint.split("/");
  const response = given.response_url ?? `https://queue.fal.run/${owner}/${application}/requests/${id}`;
  return {
    request_id: id,
    status_url: given.status_url ?? `${response}/status`,
    response_url: response,
    cancel_url: given.cancel_url ?? `${response}/cancel`,
    ...(operation.unit && { unit: { ...operation.unit } }),
  };
}

/** Reads a task. Never throws: a reference that is not one leads to an unknown task. */
export function readFalTask(reference: UpstreamReference): FalTask {
  return taskSchema.safeParse(reference).data ?? NOWHERE;
}
