import { json } from "../call.js";
import type { Dialect, DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { balanceRoute, billingRoute } from "./account-routes.js";
import { failureOf } from "./errors.js";
import { initiateRoute, listRoute, priceRoute, putRoute } from "./platform-routes.js";
import { submitRoute, taskRoute } from "./queue-routes.js";
import { outputOf } from "./result.js";
import { schemaRoute } from "./schema-route.js";

const OWNERS = "fal-ai|xai|bytedance|kling|openai|google|minimax|blackforestlabs|sonauto";
const TASK_PATH = new RegExp(`^/(?:${OWNERS})/[^/]+/requests/([^/]+)(/[a-z]+)?$`);
const ENDPOINT_PATH = new RegExp(`^/((?:${OWNERS})(?:/[\\w.-]+)+)$`);

/** fal.ai: queue.fal.run, rest.fal.ai and api.fal.ai at one address. A wrong key is 401, a locked account 403. */
export function falDialect(state: UpstreamState): Dialect {
  const locked = json(403, {
    detail: "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.",
  });
  const throttled = json(429, { detail: "Too many requests" }, { "retry-after": "1" });
  return {
    name: "fal",
    currency: "USD",
    route: (method, path) => routeOf(state, method, path),
    keyOf: ({ headers }) => /^Key (\S+)$/.exec(headers.authorization ?? "")?.[1],
    refusals: {
      "rate-limited": throttled,
      maintenance: json(503, { detail: "Service unavailable", error_type: "runner_scheduling_failure" }),
      "no-credit": locked,
      locked,
      "wrong-key": json(401, { detail: "invalid key credentials" }),
    },
    tooManyQueries: throttled,
    callback(task, root) {
      const failure = failureOf(task);
      const ids = { request_id: task.id, gateway_request_id: task.id };
      return failure
        ? { ...ids, status: "ERROR", error: "Invalid status code: 422", payload: failure.json }
        : { ...ids, status: "OK", payload: outputOf(task, root) };
    },
  };
}

function routeOf(state: UpstreamState, method: string, path: string): DialectRoute | undefined {
  const [isTask, id, action] = TASK_PATH.exec(path) ?? [];
  if (isTask !== undefined && id !== undefined) return taskRoute(state, method, id, action);
  const upload = /^\/uploads\/(\w+)\//.exec(path)?.[1];
  if (upload !== undefined && method === "PUT") return putRoute(state, upload);
  if (method === "POST" && path === "/storage/upload/initiate") return initiateRoute(state);
  if (method === "GET" && path === "/v1/models/requests/by-endpoint") return listRoute(state);
  if (method === "GET" && path === "/v1/models/pricing") return priceRoute;
  if (method === "GET" && path === "/v1/account/billing") return billingRoute;
  if (method === "GET" && path === "/billing/user_balance") return balanceRoute(state);
  if (method === "GET" && path === "/api/openapi/queue/openapi.json") return schemaRoute;
  const endpoint = method === "POST" ? ENDPOINT_PATH.exec(path)?.[1] : undefined;
  return endpoint === undefined ? undefined : submitRoute(state, endpoint);
}
