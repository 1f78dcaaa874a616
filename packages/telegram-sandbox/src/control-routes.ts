import type { IncomingMessage, ServerResponse } from "node:http";
import type { Actions } from "./actions.js";
import type { Breaches } from "./breaches.js";
import { badRequest } from "./errors.js";
import type { FaultAnswer, FaultOrder } from "./faults.js";
import { sendJson } from "./http-answer.js";
import { isRecord, type Json } from "./params.js";
import { readBody } from "./request-body.js";
import type { SandboxState } from "./state.js";
import type { UpdateKind } from "./updates.js";

type Deed = (body: Json) => unknown;

/**
 * The control API over HTTP, for tests in another process:
 *
 *   GET    /control/calls        every request to the Bot API
 *   GET    /control/breaches     breaches of the schema so far
 *   DELETE /control/breaches     takes them, and answers them
 *   POST   /control/faults       a FaultOrder without its function
 *   DELETE /control/faults       takes all orders back, releases what is held
 *   POST   /control/updates      { kind, payload }: queues an update as it is
 *   POST   /control/update-ids   update ids go on from a new random place
 *   POST   /control/lost-payments { count }: the next payments are made without an update
 */
export class ControlRoutes {
  readonly #deeds: Readonly<Record<string, Deed>>;

  constructor(state: SandboxState, actions: Actions, breaches: Breaches) {
    this.#deeds = {
      "GET /control/calls": () => state.calls.list,
      "GET /control/breaches": () => breaches.list,
      "DELETE /control/breaches": () => breaches.take(),
      "POST /control/faults": (body) => {
        state.faults.add(readOrder(body));
        return { ok: true };
      },
      "DELETE /control/faults": () => {
        state.faults.clear();
        return { ok: true };
      },
      "POST /control/updates": ({ kind, payload }) => {
        if (typeof kind !== "string" || !isRecord(payload)) throw badRequest("kind and payload are needed");
        return actions.push(kind as UpdateKind, payload) ?? null;
      },
      "POST /control/lost-payments": ({ count }) => {
        if (!Number.isSafeInteger(count)) throw badRequest("count is needed");
        state.stars.lostPayments = Number(count);
        return { ok: true };
      },
      "POST /control/update-ids": () => {
        state.updates.randomizeIds();
        return { ok: true };
      },
    };
  }

  /** @throws BotApiError for an order that makes no sense */
  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const deed = this.#deeds[`${request.method} ${path}`];
    if (!deed) return sendJson(response, 404, { error: "not found" });
    const { values } = await readBody(request, new URLSearchParams());
    sendJson(response, 200, deed(values));
  }
}

const ANSWER_TYPES: ReadonlySet<unknown> = new Set(["429", "status", "partial", "cut", "reset", "hang"]);

function readOrder(body: Json): FaultOrder {
  const { method, chat, times, answer } = body;
  if (!isRecord(answer) || !ANSWER_TYPES.has(answer.type)) throw badRequest("answer.type is needed");
  return {
    ...(typeof method === "string" ? { method } : {}),
    ...(typeof chat === "number" || typeof chat === "string" ? { chat } : {}),
    ...(typeof times === "number" ? { times } : {}),
    answer: answer as unknown as FaultAnswer,
  };
}
