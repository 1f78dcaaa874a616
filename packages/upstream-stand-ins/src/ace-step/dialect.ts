import type { Dialect, DialectRoute } from "../dialect.js";
import { textOf } from "../json.js";
import type { UpstreamState } from "../state.js";
import { audioRoute, failure, queryRoute, releaseRoute, wrapped } from "./task-routes.js";

/** An ACE-Step 1.5 of one's own: no price, a key where it was started with one, and tasks in memory. */
export function aceStepDialect(state: UpstreamState): Dialect {
  const full = failure(429, "Server busy: queue is full");
  return {
    name: "ace_step",
    currency: "USD",
    route: (method, path) => routeOf(state, method, path),
    keyOf: ({ headers, json: body }) =>
      textOf(body?.ai_token) ?? headers.authorization?.replace(/^Bearer /, "") ?? "",
    refusals: {
      "rate-limited": full,
      maintenance: failure(503, "Service Unavailable"),
      "wrong-key": failure(401, "Invalid API key"),
    },
    tooManyQueries: full,
  };
}

function routeOf(state: UpstreamState, method: string, path: string): DialectRoute | undefined {
  switch (`${method} ${path}`) {
    case "POST /release_task":
      return releaseRoute();
    case "POST /query_result":
      return queryRoute();
    case "GET /v1/audio":
      return audioRoute(state);
    case "GET /v1/stats":
      return {
        kind: "plain",
        answer: () => wrapped({ jobs: { total: state.ledger.length }, queue_size: 0 }),
      };
    case "GET /health":
      return {
        kind: "plain",
        isFree: true,
        answer: () => wrapped({ status: "ok", service: "ACE-Step API" }),
      };
    default:
      return undefined;
  }
}
