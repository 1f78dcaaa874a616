import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { Cost } from "../../catalogue/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { MEGABYTE } from "../../platform/units.js";
import {
  lenient,
  listOf,
  type PollOutcome,
  type SubmitOutcome,
  taskIdField,
  type UpstreamAdapter,
  type UpstreamCall,
} from "../adapter.js";
import {
  detailOf,
  judgeBalance,
  judgeFailedTask,
  judgePollStatus,
  judgeProbeStatus,
  judgeSubmit,
  numeric,
  readGood,
} from "../judge-status.js";

const ROOT = "https://polza.ai/api/v1";
const WARNINGS_LENGTH_MAX = 1000;
/** Limits an answer: results may be in it as base64. */
const ANSWER_BYTES_MAX = 64 * MEGABYTE;
/** Statuses that elsewhere mean that nothing was made. */
const OPEN_STATUSES: ReadonlySet<number> = new Set([405, 410, 413, 414, 415, 451]);

const errorField = lenient(
  z.looseObject({
    code: lenient(z.union([z.string(), z.number()])),
    message: lenient(z.string()),
  }),
);
const warning = z.union([
  z.string(),
  z.looseObject({ message: z.string() }).transform(({ message }) => message),
]);
const media = z.looseObject({
  id: taskIdField,
  status: lenient(z.string()),
  error: errorField,
  data: z.unknown().optional(),
  usage: lenient(z.looseObject({ cost_rub: lenient(numeric) })),
  warnings: lenient(listOf(warning)),
});
type Media = z.infer<typeof media>;
const uploaded = z.object({ url: z.url() });
const balanceAnswer = z.looseObject({ amount: numeric });

const BALANCE_CALL: UpstreamCall = { method: "GET", url: `${ROOT}/balance` };

/** Adapts polza.ai: one shape for all media, paid in rubles. */
export const polza: UpstreamAdapter = {
  name: "polza",
  apiHosts: ["polza.ai"],
  fileHosts: ["polza.ai"],
  answerBytesMax: ANSWER_BYTES_MAX,
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  submit: ({ endpoint, input }) => ({
    method: "POST",
    url: `${ROOT}/media`,
    json: { model: endpoint, input, async: true },
  }),
  readSubmit(answer) {
    const accepted = readGood(answer, media);
    if (!accepted) return judgeRejection(answer);
    const warnings = accepted.warnings?.join("; ").slice(0, WARNINGS_LENGTH_MAX);
    return { kind: "accepted", reference: { id: accepted.id, ...(warnings && { warnings }) } };
  },

  poll: ({ id }) => ({ method: "GET", url: `${ROOT}/media/${encodeURIComponent(String(id))}` }),
  // The id of a finished task may be another one: the documentation shows gen_… while it waits and aig_… at the end.
  readPoll(answer) {
    const told = readGood(answer, media);
    return told ? judgeMedia(answer, told) : judgePollStatus(answer);
  },

  upload: {
    begin: ({ path, mime, fileName }) => ({
      method: "POST",
      url: `${ROOT}/storage/upload`,
      form: [
        { name: "file", file: path, mime, fileName },
        { name: "storagePolicy", value: "TEMP_UPLOAD" },
      ],
    }),
    readBegin: (answer) => readGood(answer, uploaded),
  },

  probe: {
    tells: "balance",
    call: BALANCE_CALL,
    read(answer) {
      const balance = readBalanceOf(answer);
      return balance === undefined ? judgeProbeStatus(answer) : judgeBalance(balance);
    },
  },
  balance: { currency: "RUB", questions: [{ call: BALANCE_CALL, read: readBalanceOf }] },
};

function readBalanceOf(answer: HttpAnswer): number | undefined {
  return readGood(answer, balanceAnswer)?.amount;
}

/** Judges a rejection. A 429 leaves it open, as does every status of which nothing is documented. */
function judgeRejection(answer: HttpAnswer): SubmitOutcome {
  const judged = judgeSubmit(answer);
  const isOpen =
    judged.kind === "throttled" || (judged.kind === "refused" && OPEN_STATUSES.has(answer.status));
  return isOpen ? { kind: "ambiguous", detail: judged.detail } : judged;
}

function judgeMedia(answer: HttpAnswer, { status, data, error, usage }: Media): PollOutcome {
  switch (status) {
    case "pending":
    case "queued":
      return { kind: "pending", phase: "queued" };
    case "processing":
    case "running":
      return { kind: "pending", phase: "running" };
    case "completed":
      return { kind: "ready", document: { data: itemsOf(data) }, ...costOf(usage?.cost_rub) };
    case "failed":
    case "cancelled": {
      const words = `${error?.code ?? ""} ${error?.message ?? ""}`.trim();
      const cost = usage?.cost_rub === 0 ? {} : costOf(usage?.cost_rub);
      return { ...judgeFailedTask({ codes: [error?.code], words: words || status }), ...cost };
    }
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

const item = z.looseObject({ b64_json: z.string().min(1) });

/** Returns a list of `{"url":…}`: the service sends one object or a list, with addresses or base64. */
function itemsOf(data: unknown): Json[] {
  const items = (Array.isArray(data) ? data : [data ?? []].flat()) as Json[];
  return items.map((given) => {
    const encoded = item.safeParse(given).data;
    return encoded ? { url: `data:application/octet-stream;base64,${encoded.b64_json}` } : given;
  });
}

function costOf(rubles: number | undefined): { cost?: Cost } {
  if (rubles === undefined || rubles < 0) return {};
  return { cost: { amount: rubles, currency: "RUB", source: "upstream" } };
}
