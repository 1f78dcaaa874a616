import { SUBMISSION_ERROR_CODES } from "../../contract/errors.js";
import type { Accepted } from "../../contract/request.js";
import type { ApiDoor } from "../../core/core.js";
import { callerOf } from "./authentication.js";
import type { Endpoint } from "./endpoint.js";
import { ACCEPTED_EXAMPLES, REQUEST_EXAMPLES } from "./examples.js";
import { okSchema } from "./json-schema.js";
import { REQUEST } from "./request-schema.js";
import { JOB_ID, JOB_IDS, QUEUED, RUBLES } from "./schemas.js";

/** POST /generations (section 4.4). */
export function createGenerationEndpoint(api: Pick<ApiDoor, "submit">): Endpoint {
  return {
    method: "POST",
    path: "/generations",
    operationId: "createGeneration",
    summary: "Submit a generation",
    description:
      "Checks the parameters, charges the cost and queues the work. Each POST creates a new paid job: there " +
      "is no idempotency key, so never repeat one automatically when its outcome is unknown. A refused " +
      "request changes nothing. The body is read as JSON in UTF-8 whatever its content type, at most 12 MB.",
    needsKey: true,
    body: { schema: REQUEST, examples: REQUEST_EXAMPLES },
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
      examples: ACCEPTED_EXAMPLES,
    },
    errors: [...SUBMISSION_ERROR_CODES, "rate_limited", "service_unavailable"],
    async handle(request) {
      return answerOf(await api.submit(callerOf(request).accountId, request.body));
    },
  };
}

/** Images have a unit price and a list of jobs; the others have neither. */
function answerOf(accepted: Accepted): object {
  const { job_ids, ...rest } = accepted;
  return rest.unit_cost_rub === undefined ? { ok: true, ...rest } : { ok: true, job_ids, ...rest };
}
