import { SUBMISSION_ERROR_CODES } from "../../contract/errors.js";
import type { Accepted } from "../../contract/request.js";
import type { Api } from "../../ports/api.js";
import { callerOf } from "./authentication.js";
import type { Endpoint } from "./endpoint.js";
import { acceptedExamples, requestExamples } from "./examples.js";
import { idempotencyKeyOf } from "./idempotency-key.js";
import { okSchema } from "./json-schema.js";
import { REQUEST } from "./request-schema.js";
import { JOB_ID, JOB_IDS, QUEUED, RUBLES } from "./schemas.js";

/** Serves POST /generations (section 4.4). */
export function createGenerationEndpoint(api: Pick<Api, "models" | "submit" | "submitKeyed">): Endpoint {
  return {
    method: "POST",
    path: "/generations",
    operationId: "createGeneration",
    summary: "Submit a generation",
    description:
      "Checks the parameters, charges the cost and queues the work. Each POST without an `Idempotency-Key` " +
      "creates a new paid job: never repeat one automatically when its outcome is unknown. A refused request " +
      "changes nothing. The body is read as JSON in UTF-8 whatever its content type, at most 12 MB.",
    needsKey: true,
    headers: {
      "Idempotency-Key": {
        description:
          "An extension of this service. 1 to 255 printable ASCII characters that you choose, best a random " +
          "UUID for each request. With it the request is accepted at most once in 24 hours",
        schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
      },
    },
    body: { schema: REQUEST, examples: requestExamples(api.models) },
    answer: {
      schema: okSchema(
        {
          job_id: { ...JOB_ID, description: "The job; with a count above 1 the first one" },
          job_ids: JOB_IDS,
          status: QUEUED,
          cost_rub: { ...RUBLES, description: "What was charged for the whole request" },
          unit_cost_rub: { ...RUBLES, description: "Images only: the price of one" },
        },
        ["job_ids", "unit_cost_rub"],
      ),
      examples: acceptedExamples(api.models),
      headers: {
        "Idempotent-Replayed": {
          description:
            "An extension of this service: `true` where an earlier request with the same `Idempotency-Key` was " +
            "accepted. The answer is the earlier one, and nothing was charged again",
          schema: { type: "string", const: "true" },
        },
      },
    },
    errors: [
      ...SUBMISSION_ERROR_CODES,
      "account_banned",
      "bad_idempotency_key",
      "idempotency_key_in_use",
      "idempotency_key_reused",
      "rate_limited",
      "service_unavailable",
    ],
    async handle({ caller, body, bodyFingerprint, raw }, reply) {
      const { accountId } = callerOf({ caller });
      const key = idempotencyKeyOf(raw);
      if (key === undefined) return answerOf(await api.submit(accountId, body));
      const { accepted, isReplayed } = await api.submitKeyed({
        accountId,
        key,
        body,
        fingerprint: bodyFingerprint,
      });
      if (isReplayed) reply.header("idempotent-replayed", "true");
      return answerOf(accepted);
    },
  };
}

function answerOf(accepted: Accepted): object {
  const { job_ids, ...rest } = accepted;
  return rest.unit_cost_rub === undefined ? { ok: true, ...rest } : { ok: true, job_ids, ...rest };
}
