import type { Dialect, DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { balanceRoute, modelsRoute, uploadRoute } from "./account-routes.js";
import { catalogueRoute } from "./catalogue-route.js";
import { createRoute, failure, statusRoute } from "./media-routes.js";

/** polza.ai: one form for pictures, films and songs; prices in rubles. */
export function polzaDialect(state: UpstreamState): Dialect {
  const throttled = failure(429, "TOO_MANY_REQUESTS", "Превышен лимит запросов");
  const noCredit = failure(402, "PAYMENT_REQUIRED", "Недостаточно средств");
  return {
    name: "polza",
    currency: "RUB",
    route: (method, path) => routeOf(state, method, path),
    keyOf: ({ headers }) => /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1],
    refusals: {
      "rate-limited": throttled,
      maintenance: failure(503, "SERVICE_UNAVAILABLE", "Нет доступных провайдеров"),
      "policy-at-submit": failure(
        400,
        "BAD_REQUEST",
        "Your prompt was flagged as violating content policies.",
      ),
      "no-credit": noCredit,
      locked: failure(403, "FORBIDDEN", "Доступ запрещён"),
      "wrong-key": failure(401, "UNAUTHORIZED", "Ошибка аутентификации"),
    },
    tooManyQueries: throttled,
  };
}

function routeOf(state: UpstreamState, method: string, path: string): DialectRoute | undefined {
  const id = method === "GET" ? /^\/api\/v1\/media\/([^/]+)$/.exec(path)?.[1] : undefined;
  if (id !== undefined) return statusRoute(id);
  switch (`${method} ${path}`) {
    case "POST /api/v1/media":
      return createRoute(state);
    case "GET /api/v1/models":
      return modelsRoute;
    case "GET /api/v1/models/catalog":
      return catalogueRoute;
    case "GET /api/v1/balance":
      return balanceRoute(state);
    case "POST /api/v1/storage/upload":
      return uploadRoute(state);
    default:
      return undefined;
  }
}
