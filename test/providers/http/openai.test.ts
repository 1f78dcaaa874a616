import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openai } from "../../../src/providers/services/openai.js";
import { answer, operation } from "./answer.js";

const ATTEMPT = { id: "any", callbackUrl: "https://ours.invalid" };
const error = (code: string | null, message: string, type = "invalid_request_error") => ({
  error: { code, message, type, param: null },
});
/** From openai/openai-openapi, ImagesResponse. */
const MADE = {
  created: 1_763_900_000,
  data: [{ b64_json: "aGk=" }],
  size: "1024x1024",
  output_format: "webp",
  usage: {
    input_tokens: 210,
    output_tokens: 1000,
    total_tokens: 1210,
    input_tokens_details: { text_tokens: 10, image_tokens: 200 },
  },
};
const UNITS = {
  amounts: { text_input_tokens: 0.000005, image_input_tokens: 0.000008, output_tokens: 0.00003 },
  currency: "USD",
};

test("a submit asks for one picture", () => {
  const input = { prompt: "a cat", size: "1024x1024", quality: "low", output_format: "webp" };
  const asked = operation({ api: "generations", endpoint: "gpt-image-2.5-flare", input });
  expect(openai.submit(asked, ATTEMPT)).toEqual({
    method: "POST",
    url: "https://api.openai.com/v1/images/generations",
    json: { model: "gpt-image-2.5-flare", ...input, n: 1 },
  });
  expect(openai.headers("secret")).toEqual({ authorization: "Bearer secret" });
});

test("an edit gives each picture as a part of its own, and the rest as texts", () => {
  const paths = ["/work/job 1/reference-0", "/work/job 1/reference-1"];
  const image = paths.map((path) => pathToFileURL(path).href);
  const input = { prompt: "a cat", size: "1024x1024", image };
  const asked = operation({ api: "edits", endpoint: "gpt-image-2.5-flare", input });
  expect(openai.submit(asked, ATTEMPT)).toEqual({
    method: "POST",
    url: "https://api.openai.com/v1/images/edits",
    form: [
      { name: "model", value: "gpt-image-2.5-flare" },
      { name: "prompt", value: "a cat" },
      { name: "size", value: "1024x1024" },
      { name: "image[]", picture: paths[0] },
      { name: "image[]", picture: paths[1] },
      { name: "n", value: "1" },
    ],
  });
});

const ADDRESS = "http://127.0.0.1:8080/generated/a.png";

test.each([
  ["base64", MADE, "data:application/octet-stream;base64,aGk="],
  ["an address beside an empty base64", { data: [{ b64_json: null, url: ADDRESS }] }, ADDRESS],
  ["base64 beside an empty address", { data: [{ b64_json: "aGk=", url: null }] }, /^data:.*aGk=$/],
])("an answer with %s is the picture", (_name, document, url) => {
  const expected = { data: [{ url: url instanceof RegExp ? expect.stringMatching(url) : url }] };
  expect(openai.readSubmit(answer(200, document), operation())).toEqual({
    kind: "ready",
    document: expected,
  });
});

test("the cost is that of the tokens, where their prices are known", () => {
  const cost = (body: object, units = UNITS) => {
    const read = openai.readSubmit(answer(200, body), operation({ units }));
    return read.kind === "ready" ? read.cost : undefined;
  };
  expect(cost(MADE)).toEqual({ amount: 0.03165, currency: "USD", source: "units" });
  expect(cost({ data: MADE.data })).toBeUndefined();
  const half = { amounts: { ...UNITS.amounts, output_tokens: undefined as never }, currency: "USD" };
  expect(cost(MADE, half)).toBeUndefined();
});

test.each([
  [400, error("billing_hard_limit_reached", "Billing hard limit"), { kind: "paused", reason: "no_credit" }],
  [429, error("insufficient_quota", "You exceeded your quota"), { kind: "paused", reason: "no_credit" }],
  [403, error(null, "Your organization must be verified"), { kind: "paused", reason: "locked" }],
  [200, { created: 0, data: [] }, { kind: "refused", refusal: "request" }],
  [200, error("insufficient_quota", "You exceeded your quota"), { kind: "paused", reason: "no_credit" }],
  [200, error("rate_limit_exceeded", "Rate limit reached"), { kind: "throttled" }],
  [200, { error: { code: 401, message: "Invalid API key" } }, { kind: "paused", reason: "key_refused" }],
  [
    403,
    error(null, "Your account has been suspended for violations of our usage policies"),
    { kind: "suspected", reason: "locked", refusal: "policy" },
  ],
])("status %i with %j is judged by what it proves", (status, body, expected) => {
  expect(openai.readSubmit(answer(status, body), operation())).toMatchObject(expected);
});
