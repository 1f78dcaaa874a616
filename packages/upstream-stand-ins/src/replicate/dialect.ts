import { json } from "../call.js";
import type { Dialect, DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { phaseOf } from "../task.js";
import { cancelRoute, createRoute, failure, listRoute, shownOf, taskRoute } from "./prediction-routes.js";

const FILE_LIFE_MS = 24 * 3_600_000;
const MODEL = /^\/v1\/models\/([\w-]+\/[\w.-]+)\/predictions$/;
const PREDICTION = /^\/v1\/predictions\/(\w+)(\/cancel)?$/;

/** Official models of Replicate, by api.replicate.com. */
export function replicateDialect(state: UpstreamState): Dialect {
  const throttled = failure(
    429,
    "Too Many Requests",
    "Request was throttled. Your rate limit resets in ~30s.",
  );
  return {
    name: "replicate",
    currency: "USD",
    route: (method, path) => routeOf(state, method, path),
    keyOf: ({ headers }) => /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1],
    // The content is looked at by the model.
    refusals: {
      "rate-limited": throttled,
      maintenance: failure(503, "Service Unavailable", "The service is temporarily unavailable."),
      "no-credit": failure(402, "Insufficient credit", "You have insufficient credit to run this model."),
      locked: failure(403, "Forbidden", "Your account has been disabled."),
      "wrong-key": failure(401, "Unauthenticated", "You did not pass a valid authentication token"),
    },
    tooManyQueries: throttled,
    callback(task, root) {
      const now = state.time.now();
      return shownOf(task, phaseOf(task, now), root, now);
    },
  };
}

function routeOf(state: UpstreamState, method: string, path: string): DialectRoute | undefined {
  const endpoint = MODEL.exec(path)?.[1];
  if (method === "POST" && endpoint !== undefined) return createRoute(state, endpoint);
  const [, id, cancel] = PREDICTION.exec(path) ?? [];
  if (id !== undefined && cancel !== undefined && method === "POST") return cancelRoute(state, id);
  if (id !== undefined && cancel === undefined && method === "GET") return taskRoute(state, id);
  switch (`${method} ${path}`) {
    case "GET /v1/predictions":
      return listRoute(state);
    case "GET /v1/account":
      return { kind: "plain", answer: () => json(200, { type: "user", username: "stand-in", name: "" }) };
    case "POST /v1/files":
      return uploadRoute(state);
    default:
      return undefined;
  }
}

function uploadRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "upload",
    answer({ files, root }) {
      const file = files.find(({ name }) => name === "content");
      if (!file) return failure(400, "Bad Request", "content is required");
      const id = state.newId();
      const { fileName, mime } = file;
      state.addUpload({ id, service: "replicate", fileName, mime, base64: file.bytes.toString("base64") });
      const now = state.time.now();
      return json(201, {
        id,
        name: fileName,
        content_type: mime,
        size: file.bytes.length,
        created_at: new Date(now).toISOString(),
        expires_at: new Date(now + FILE_LIFE_MS).toISOString(),
        urls: { get: `${root}/uploads/${id}/${encodeURIComponent(fileName)}` },
      });
    },
  };
}
