import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { Cost, Operation } from "../../catalogue/operation.js";
import { MEGABYTE, MINUTE_MS } from "../../platform/units.js";
import { type FormPart, listOf, type UpstreamAdapter } from "../adapter.js";
import { detailOf, isSuccess, judgeKeyProbe, judgeSubmit, readJson, refused } from "../judge-status.js";

const ROOT = "https://api.openai.com/v1";
/** Limits submits: a large picture of the best quality takes minutes. */
const SUBMIT_TIMEOUT_MS = 6 * MINUTE_MS;
/** Limits forms, which this process holds in memory; each picture may have 50 MB at the service. */
const FORM_BYTES_MAX = 64 * MEGABYTE;
/** Limits an answer: a picture as base64. */
const ANSWER_BYTES_MAX = 64 * MEGABYTE;

/** Parses pictures. Current models send base64; compatible servers may send addresses, with null for the other. */
const made = z.object({
  data: listOf(
    z.union([z.looseObject({ b64_json: z.string().min(1) }), z.looseObject({ url: z.string().min(1) })]),
  ).refine((pictures) => pictures.length > 0),
});
const used = z.object({
  usage: z.object({
    output_tokens: z.number().nonnegative(),
    input_tokens_details: z.object({
      text_tokens: z.number().nonnegative(),
      image_tokens: z.number().nonnegative(),
    }),
  }),
});

/**
 * Adapts OpenAI images and compatible servers. One POST makes one picture, which is in its answer: there is no task to
 * ask about, so an answer that is cut leaves it open for ever. A job is one picture.
 * Source: github.com/openai/openai-openapi, openapi.json: /images/generations, /images/edits
 */
export const openai: UpstreamAdapter = {
  name: "openai",
  apiHosts: ["api.openai.com"],
  basePath: "/v1",
  fileHosts: [],
  fileHostsOfRoot: ["*"],
  submitTimeoutMs: SUBMIT_TIMEOUT_MS,
  answerBytesMax: ANSWER_BYTES_MAX,
  filesBytesMax: FORM_BYTES_MAX,
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  submit({ api, endpoint, input }) {
    const body = { model: endpoint, ...input, n: 1 };
    return api === "edits"
      ? { method: "POST", url: `${ROOT}/images/edits`, form: formOf(body) }
      : { method: "POST", url: `${ROOT}/images/generations`, json: body };
  },
  readSubmit(answer, operation) {
    const document = isSuccess(answer) ? readJson(answer) : undefined;
    const pictures = made.safeParse(document).data;
    if (!pictures) {
      const judged = judgeSubmit(answer);
      // A whole answer without a picture: there is no task that might still make one.
      const isEmpty = judged.kind === "ambiguous" && document !== undefined;
      return isEmpty ? refused(detailOf(answer)) : judged;
    }
    return {
      kind: "ready",
      document: { data: pictures.data.map(pictureOf) },
      ...costOf(document, operation),
    };
  },

  poll: () => ({ method: "GET", url: `${ROOT}/models` }),
  readPoll: () => ({ kind: "unknown_task" }),

  // The list is shown to an account without money or verification, too.
  probe: { tells: "key", call: { method: "GET", url: `${ROOT}/models` }, read: judgeKeyProbe },
};

function formOf(body: { readonly [name: string]: Json }): FormPart[] {
  return Object.entries(body).flatMap(([name, value]): FormPart[] =>
    Array.isArray(value)
      ? value.map((address) => ({ name: `${name}[]`, picture: fileURLToPath(String(address)) }))
      : [{ name, value: String(value) }],
  );
}

/** Returns the address of a picture, with what a compatible server flags beside it. */
function pictureOf(picture: z.infer<typeof made>["data"][number]): Json {
  const {
    url,
    b64_json: encoded,
    respect_moderation: isProper,
    nsfw,
  } = picture as Readonly<Record<string, unknown>>;
  return {
    url:
      typeof url === "string" && url !== "" ? url : `data:application/octet-stream;base64,${String(encoded)}`,
    ...(typeof isProper === "boolean" && { respect_moderation: isProper }),
    ...(typeof nsfw === "boolean" && { nsfw }),
  };
}

function costOf(document: Json | undefined, { units }: Operation): { cost?: Cost } {
  const usage = used.safeParse(document).data?.usage;
  const { output_tokens: output, text_input_tokens: text, image_input_tokens: image } = units?.amounts ?? {};
  if (!units || !usage || output === undefined || text === undefined || image === undefined) return {};
  const { output_tokens: outputs, input_tokens_details: inputs } = usage;
  const amount = outputs * output + inputs.text_tokens * text + inputs.image_tokens * image;
  return { cost: { amount: Number(amount.toFixed(6)), currency: units.currency, source: "units" } };
}
