import { json } from "../call.js";
import type { Dialect, DialectRoute } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { uploadRoute, viewRoute } from "./file-routes.js";
import { objectInfoRoute } from "./object-info.js";
import { promptRoute } from "./prompt-route.js";
import {
  changeQueueRoute,
  historyListRoute,
  historyRoute,
  interruptRoute,
  queueRoute,
} from "./queue-routes.js";

/** A ComfyUI of one's own: no key, no price, and everything in memory. */
export function comfyuiDialect(state: UpstreamState): Dialect {
  const busy = json(503, { error: "busy" });
  return {
    name: "comfyui",
    currency: "USD",
    route: (method, path) => routeOf(state, method, path),
    keyOf: () => "",
    refusals: { "rate-limited": busy, maintenance: busy },
    tooManyQueries: busy,
  };
}

function routeOf(state: UpstreamState, method: string, path: string): DialectRoute | undefined {
  const id = method === "GET" ? /^\/history\/([^/]+)$/.exec(path)?.[1] : undefined;
  if (id !== undefined) return historyRoute(id);
  switch (`${method} ${path}`) {
    case "POST /prompt":
      return promptRoute(state);
    case "GET /history":
      return historyListRoute(state);
    case "GET /object_info":
      return objectInfoRoute();
    case "GET /queue":
      return queueRoute(state);
    case "POST /queue":
      return changeQueueRoute(state);
    case "POST /interrupt":
      return interruptRoute(state);
    case "POST /upload/image":
      return uploadRoute(state);
    case "GET /view":
      return viewRoute(state);
    case "GET /system_stats":
      return {
        kind: "plain",
        answer: () => json(200, { system: { comfyui_version: "0.3.60" }, devices: [] }),
      };
    default:
      return undefined;
  }
}
