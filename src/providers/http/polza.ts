import { z } from "zod";
import type { Json } from "../../mapping/mapping.js";
import type { Cost } from "../../mapping/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { PollOutcome, SubmitOutcome, UpstreamAdapter, UpstreamCall } from "./adapter.js";
import { taskIdField } from "./bounds.js";
import {
  detailOf,
  isSuccess,
  judgeBalance,
  judgePollStatus,
  judgeProbeStatus,
  numeric,
  pauseReasonOf,
  readJson,
  refusalKindOf,
  refused,
} from "./judge-status.js";

const ROOT = "https://polza.ai/api/v1";
/** Matches a 403 by content policy; the Russian words for key and account are also those of a policy. */
const MODERATION = /moderat|модерац|flagged|content.?polic/i;
/** Statuses of a POST that made nothing. Every other one leaves it open, 429 included. */
const REJECTING_STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);

const errorField = z
  .looseObject({
    code: z.union([z.string(), z.number()]).optional().catch(undefined),
    message: z.string().optional().catch(undefined),
  })
  .nullish()
  .catch(undefined);
const warning = z.union([
  z.string(),
  z.looseObject({ message: z.string() }).transform(({ message }) => message),
]);
const media = z.looseObject({
  id: taskIdField,
  status: z.string().optional().catch(undefined),
  error: errorField,
  data: z.unknown().optional(),
  usage: z
    .looseObject({ cost_rub: numeric.optional().catch(undefined) })
    .nullish()
    .catch(undefined),
  warnings: z.array(warning).nullish().catch(undefined),
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
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  submit: ({ endpoint, input }) => ({
    method: "POST",
    url: `${ROOT}/media`,
    json: { model: endpoint, input, async: true },
  }),
  readSubmit(answer) {
    const parsed = isSuccess(answer) ? media.safeParse(readJson(answer)) : undefined;
    if (!parsed?.success) return judgeRejection(answer);
    const warnings = wordsOf(parsed.data.warnings);
    return { kind: "accepted", reference: { id: parsed.data.id, ...(warnings && { warnings }) } };
  },

  poll: ({ id }) => ({ method: "GET", url: `${ROOT}/media/${encodeURIComponent(String(id))}` }),
  readPoll(answer) {
    if (!isSuccess(answer)) return judgePollStatus(answer);
    const parsed = media.safeParse(readJson(answer));
    return parsed.success ? judgeMedia(answer, parsed.data) : { kind: "glitch", detail: detailOf(answer) };
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
    readBegin: (answer) => (isSuccess(answer) ? uploaded.safeParse(readJson(answer)).data : undefined),
  },

  probeTells: "balance",
  probe: () => BALANCE_CALL,
  readProbe(answer) {
    const balance = readBalanceOf(answer);
    return balance === undefined ? judgeProbeStatus(answer) : judgeBalance(balance);
  },
  balance: { currency: "RUB", questions: [{ call: BALANCE_CALL, read: readBalanceOf }] },
};

function readBalanceOf(answer: HttpAnswer): number | undefined {
  return isSuccess(answer) ? balanceAnswer.safeParse(readJson(answer)).data?.amount : undefined;
}

function judgeRejection(answer: HttpAnswer): SubmitOutcome {
  const error = z.looseObject({ error: errorField }).safeParse(readJson(answer)).data?.error;
  const words = error ? `${error.code ?? ""} ${error.message ?? ""}` : answer.text;
  const detail = detailOf(answer, words);
  const reason = pauseReasonOf({ ...answer, text: words });
  const isModerated = answer.status === 403 && MODERATION.test(words);
  if (reason && !isModerated) return { kind: "paused", reason, detail };
  if (isModerated) return refused(detail, "policy");
  if (REJECTING_STATUSES.has(answer.status)) return refused(detail, refusalKindOf(words));
  return { kind: "ambiguous", detail };
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
      const isPolicy = refusalKindOf(words) === "policy";
      return isPolicy
        ? { ...refused(words, "policy"), ...cost }
        : { kind: "failed", detail: words || status, ...cost };
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

function wordsOf(warnings: readonly string[] | null | undefined): string | undefined {
  if (!warnings || warnings.length === 0) return undefined;
  return warnings.join("; ").slice(0, 1000);
}
