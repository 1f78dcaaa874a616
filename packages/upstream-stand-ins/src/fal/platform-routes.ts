import { type Call, json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import { textOf } from "../json.js";
import type { UpstreamState } from "../state.js";
import { phaseOf, type Task } from "../task.js";
import { FAL_MODELS } from "./models.js";
import { outputOf } from "./result.js";

/*
 * Sources: https://docs.fal.ai/platform-apis/v1/models/requests/by-endpoint (what is listed has ended: it is sorted by
 * that), https://docs.fal.ai/platform-apis/v1/models/pricing, src/storage.js of @fal-ai/client 1.10.1.
 */

const LISTED_MAX = 100;
const DAY_MS = 86_400_000;

/** Requests of an endpoint, with what was asked and what came of it. */
export function listRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ query, root }) {
      const endpoint = query.get("endpoint_id");
      if (!endpoint)
        return json(400, { error: { type: "validation_error", message: "endpoint_id is required" } });
      const now = state.time.now();
      const start = Date.parse(query.get("start") ?? "") || now - DAY_MS;
      const items = [...state.tasks.values()]
        .filter((task) => task.service === "fal" && task.endpoint === endpoint && task.acceptedAt >= start)
        .flatMap((task) => listed(task, root, now, query.get("expand") === "payloads"));
      return json(200, {
        items: items.reverse().slice(0, LISTED_MAX),
        next_cursor: null,
        has_more: items.length > LISTED_MAX,
      });
    },
  };
}

function listed(task: Task, root: string, now: number, hasPayloads: boolean): object[] {
  const phase = phaseOf(task, now);
  if (phase.kind !== "ended") return [];
  const isMade = task.outcome.kind === "made";
  const item = {
    request_id: task.id,
    endpoint_id: task.endpoint,
    sent_at: new Date(task.acceptedAt).toISOString(),
    started_at: new Date(task.acceptedAt + task.queueMs).toISOString(),
    ended_at: new Date(phase.at).toISOString(),
    status_code: isMade ? 200 : 422,
    duration: task.runMs / 1000,
  };
  return [
    hasPayloads
      ? { ...item, json_input: task.input, json_output: isMade ? outputOf(task, root) : null }
      : item,
  ];
}

export const priceRoute: DialectRoute = {
  kind: "plain",
  answer({ query }) {
    const prices = query.getAll("endpoint_id").flatMap((id) => {
      const model = FAL_MODELS[id];
      return model
        ? [{ endpoint_id: id, unit_price: model.unitPrice, unit: model.unit, currency: "USD" }]
        : [];
    });
    return json(200, { prices, next_cursor: null, has_more: false });
  },
};

/** Names the address that takes the bytes, and the one where they can be read then. */
export function initiateRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "upload",
    answer({ json: body, root }) {
      const mime = textOf(body?.content_type);
      const fileName = textOf(body?.file_name);
      if (!mime || !fileName) return json(422, { detail: "content_type and file_name are required" });
      const id = state.newId();
      state.addUpload({ id, service: "fal", fileName, mime, base64: "" });
      const url = `${root}/uploads/${id}/${encodeURIComponent(fileName)}`;
      return json(200, { upload_url: `${url}?signature=${id.slice(0, 8)}`, file_url: url });
    },
  };
}

/** Takes the bytes. The address itself is the right to do so. */
export function putRoute(state: UpstreamState, id: string): DialectRoute {
  return {
    kind: "plain",
    isFree: true,
    answer(call: Call) {
      const upload = state.uploads.get(id);
      if (upload?.base64 !== "") return { status: 403 };
      if (call.headers.authorization !== undefined)
        state.breach("fal: the key was sent to an upload's address");
      state.addUpload({ ...upload, base64: call.bytes.toString("base64") });
      return { status: 200 };
    },
  };
}
