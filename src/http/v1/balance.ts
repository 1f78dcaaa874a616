import type { Api } from "../../jobs/api.js";
import { authenticate, type Endpoint, okSchema } from "./endpoint.js";
import { BALANCE } from "./schemas.js";

/** Serves GET /balance (section 4.2). */
export function balanceEndpoint(api: Pick<Api, "authenticate" | "balance">): Endpoint {
  return {
    method: "GET",
    path: "/balance",
    operationId: "getBalance",
    summary: "The balance",
    description: "The rubles that the owner of the key can spend, here and in every other interface.",
    needsKey: true,
    answer: {
      schema: okSchema({ balance: BALANCE }),
      examples: () => ({ fractional: { ok: true, balance: { currency: "RUB", amount: 512.5 } } }),
    },
    errors: [],
    handle: (request) => ({ ok: true, balance: api.balance(authenticate(api, request).accountId) }),
  };
}
