import { json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";

const DOLLARS = 24.5;
/** Below zero, as the account of somebody whose last tasks cost more than was left. */
const DOLLARS_LEFT = -0.12;

/** Refuses: the keys here have no admin scope. Source: https://fal.ai/docs/platform-apis/v1/account/billing. */
export const billingRoute: DialectRoute = {
  kind: "plain",
  answer: () =>
    json(403, {
      error: { type: "authorization_error", message: "This endpoint requires an Admin API key." },
    }),
};

/** Answers a bare number of dollars, as third parties saw it; fal documents no such address. */
export function balanceRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer: () => json(200, state.account("fal") === "good" ? DOLLARS : DOLLARS_LEFT),
  };
}
