import { json } from "../call.js";
import type { Dialect, DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { editRoute, failure, generationRoute, MODERATION_BLOCKED } from "./image-routes.js";

/** Images of api.openai.com. A spent budget is 400, which looks like a refused request. */
export function openaiDialect(state: UpstreamState): Dialect {
  const throttled = failure(
    429,
    "rate_limit_exceeded",
    "Rate limit reached for images per minute.",
    "requests",
  );
  return {
    name: "openai",
    currency: "USD",
    route: (method, path) => routeOf(state, method, path),
    keyOf: ({ headers }) => /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1],
    refusals: {
      "rate-limited": throttled,
      maintenance: failure(503, null, "The engine is currently overloaded.", "server_error"),
      "policy-at-submit": MODERATION_BLOCKED,
      "no-credit": failure(400, "billing_hard_limit_reached", "Billing hard limit has been reached."),
      locked: failure(403, null, "Your organization must be verified to use this model."),
      "wrong-key": failure(401, "invalid_api_key", "Incorrect API key provided."),
    },
    tooManyQueries: throttled,
  };
}

function routeOf(state: UpstreamState, method: string, path: string): DialectRoute | undefined {
  switch (`${method} ${path}`) {
    case "POST /v1/images/generations":
      return generationRoute(state);
    case "POST /v1/images/edits":
      return editRoute(state);
    case "GET /v1/models":
      return { kind: "plain", answer: () => json(200, { object: "list", data: [] }) };
    default:
      return undefined;
  }
}
