import { z } from "zod";
import type { Json } from "../../../../src/catalogue/json.js";
import type { Cost } from "../../../../src/catalogue/operation.js";
import type { HttpAnswer } from "../../../../src/platform/http-exchange.js";
import type { PollOutcome, SubmitOutcome, UpstreamAdapter } from "../../../../src/providers/adapter.js";

export const KEY = "key-of-the-service-0123456789";
const HOST = "https://api.fake.example";

const document = z.record(z.string(), z.json());

function bodyOf({ text, fault }: HttpAnswer): Record<string, Json> | undefined {
  if (fault) return undefined;
  try {
    return document.parse(JSON.parse(text)) as Record<string, Json>;
  } catch {
    return undefined;
  }
}

function costIn(body: Record<string, Json> | undefined): { cost?: Cost } {
  if (typeof body?.cost !== "number") return {};
  return { cost: { amount: body.cost, currency: "USD", source: "upstream" } };
}

const PAUSES = { 401: "key_refused", 402: "no_credit", 403: "locked" } as const;
const pauseOf = (status: number) => PAUSES[status as keyof typeof PAUSES] as (typeof PAUSES)[401] | undefined;

function readSubmit(answer: HttpAnswer): SubmitOutcome {
  const { status } = answer;
  const body = bodyOf(answer);
  const detail = `HTTP ${status} ${answer.text}`;
  const reason = pauseOf(status);
  if (reason) return { kind: "paused", reason, detail };
  if (status === 429 || (status === 503 && body?.taken === false)) return { kind: "throttled", detail };
  if (status === 410) return { kind: "declined", detail };
  if (status === 400 || status === 422)
    return { kind: "refused", refusal: body?.policy === true ? "policy" : "request", detail };
  if (status === 200 && typeof body?.task === "string")
    return { kind: "accepted", reference: { task: body.task } };
  if (status === 200 && body?.files) return { kind: "ready", document: body, ...costIn(body) };
  return { kind: "ambiguous", detail };
}

function readPoll(answer: HttpAnswer, reference: Record<string, Json>): PollOutcome {
  const { status } = answer;
  const body = bodyOf(answer);
  const reason = pauseOf(status);
  if (reason) return { kind: "paused", reason, detail: `HTTP ${status}` };
  if (status === 404) return { kind: "unknown_task" };
  if (status === 429) return { kind: "throttled" };
  if (body?.status === "queued" || body?.status === "running") {
    const place = typeof body.place === "number" ? { queuePosition: body.place } : {};
    return { kind: "pending", phase: body.status, ...place };
  }
  if (body?.status === "result") {
    const call = { method: "GET", url: String(body.url) } as const;
    return { kind: "next", call, reference };
  }
  const cost = costIn(body);
  if (body?.status === "done") return { kind: "ready", document: body, ...cost };
  if (body?.status === "refused")
    return { kind: "refused", refusal: "policy", detail: "not allowed", ...cost };
  if (body?.status === "failed") return { kind: "failed", detail: "out of memory", ...cost };
  return { kind: "glitch", detail: `HTTP ${status}` };
}

/** A service in the simplest dialect. */
export function fakeAdapter(): UpstreamAdapter {
  return {
    name: "fake",
    apiHosts: ["api.fake.example"],
    fileHosts: ["files.fake.example"],
    headers: (key) => ({ authorization: `Key ${key}` }),
    submit: ({ endpoint, input }, { id }) => ({
      method: "POST",
      url: `${HOST}/${endpoint}`,
      json: { ...input, id },
    }),
    readSubmit,
    poll: ({ task }) => ({ method: "GET", url: `${HOST}/tasks/${String(task)}` }),
    readPoll,
    cancel: ({ task }) =>
      ["dequeue", "cancel"].map((how) => ({ method: "PUT", url: `${HOST}/tasks/${String(task)}/${how}` })),
    probe: {
      call: { method: "GET", url: `${HOST}/probe` },
      read({ status }) {
        const reason = pauseOf(status);
        if (reason) return { kind: "paused", reason };
        return { kind: status === 200 ? "good" : "glitch" };
      },
    },
  };
}

/** A service that can be asked what became of a submit. */
export function fakeAdapterWithLookUp(): UpstreamAdapter {
  return {
    ...fakeAdapter(),
    lookUp: ({ id }) => ({ method: "GET", url: `${HOST}/by-id/${id}` }),
    readLookUp: (answer) => {
      const body = bodyOf(answer);
      if (answer.status === 200 && typeof body?.task === "string")
        return { kind: "found", reference: { task: body.task } };
      return answer.status === 404 && body?.absent === true ? { kind: "absent" } : { kind: "unknown" };
    },
  };
}
