import type { Dialect, DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { phaseOf } from "../task.js";
import { done, refused, refusedByFront } from "./body.js";
import { base64Route, downloadUrlRoute, streamRoute } from "./file-routes.js";
import * as market from "./market-routes.js";
import { priceListRoute } from "./price-list.js";

const CREDITS = 5000;
/** Less than any task costs, as an account usually runs out. */
const CREDITS_LEFT = 3;

/** kie.ai: api.kie.ai and kieai.redpandaai.co at one address. Refusals are HTTP 200 with a code in the body. */
export function kieDialect(state: UpstreamState): Dialect {
  const throttled = refused(429, "The call frequency is too high. Please try again later.");
  return {
    name: "kie",
    currency: "kie_credit",
    route: (method, path, query) => routeOf(state, method, path, query.get("taskId") ?? ""),
    keyOf: ({ headers }) => /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1],
    gate: refusedByFront,
    refusals: {
      "rate-limited": throttled,
      maintenance: refused(455, "The system is under maintenance."),
      "policy-at-submit": refused(400, "Your prompt was flagged by Website as violating content policies."),
      "no-credit": refused(
        402,
        "Credits insufficient. Your current balance isn't enough to run this request.",
      ),
      locked: refused(433, "The API key's limit has been reached."),
      "wrong-key": refused(401, "You do not have access permissions"),
    },
    tooManyQueries: throttled,
    callback: (task, root) => {
      const now = state.time.now();
      return { code: 200, msg: "success", data: market.recordOf(task, phaseOf(task, now), root, now) };
    },
  };
}

function routeOf(
  state: UpstreamState,
  method: string,
  path: string,
  taskId: string,
): DialectRoute | undefined {
  switch (`${method} ${path}`) {
    case "POST /api/v1/jobs/createTask":
      return market.createRoute;
    case "GET /api/v1/jobs/recordInfo":
      return market.recordRoute(state, taskId);
    case "POST /api/file-stream-upload":
      return streamRoute(state);
    case "POST /api/file-base64-upload":
      return base64Route(state);
    case "POST /api/v1/common/download-url":
      return downloadUrlRoute(state);
    case "POST /client/v1/model-pricing/page":
      return priceListRoute;
    case "GET /api/v1/chat/credit":
      return { kind: "plain", answer: () => done(state.account("kie") === "good" ? CREDITS : CREDITS_LEFT) };
    default:
      return undefined;
  }
}
