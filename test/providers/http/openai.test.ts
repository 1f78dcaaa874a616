import { expect, test } from "vitest";
import { openai } from "../../../src/providers/http/openai.js";
import { answer, cut, HTML, operation } from "./answer.js";

const error = (code: string | null, message: string, type = "invalid_request_error") => ({
  error: { code, message, type, param: null },
});
/** From openai/openai-openapi, ImagesResponse. */
const MADE = {
  created: 1_763_900_000,
  data: [{ b64_json: "aGk=" }],
  size: "1024x1024",
  output_format: "webp",
  usage: { input_tokens: 10, output_tokens: 1000, total_tokens: 1010 },
};

test("a submit asks for one picture", () => {
  const input = { prompt: "a cat", size: "1024x1024", quality: "low", output_format: "webp" };
  const attempt = { id: "any", callbackUrl: "https://ours.invalid" };
  expect(openai.submit(operation({ endpoint: "gpt-image-2.5-flare", input }), attempt)).toEqual({
    method: "POST",
    url: "https://api.openai.com/v1/images/generations",
    json: { model: "gpt-image-2.5-flare", ...input, n: 1 },
  });
  expect(openai.headers("secret")).toEqual({ authorization: "Bearer secret" });
});

test.each([
  ["base64", MADE],
  ["an address", { created: 1, data: [{ url: "http://127.0.0.1:8080/generated/a.png" }] }],
])("an answer with %s is the picture", (_name, document) => {
  expect(openai.readSubmit(answer(200, document), operation())).toEqual({ kind: "ready", document });
});

test.each([
  [
    400,
    error(
      "moderation_blocked",
      "Your request was rejected by the safety system.",
      "image_generation_user_error",
    ),
    { kind: "refused", refusal: "policy" },
  ],
  [422, error("content_policy_violation", "rejected"), { kind: "refused", refusal: "policy" }],
  [400, error("invalid_value", "Invalid size"), { kind: "refused", refusal: "request" }],
  [400, error("billing_hard_limit_reached", "Billing hard limit"), { kind: "paused", reason: "no_credit" }],
  [429, error("insufficient_quota", "You exceeded your quota"), { kind: "paused", reason: "no_credit" }],
  [429, error("rate_limit_exceeded", "Rate limit reached"), { kind: "throttled" }],
  [401, error("invalid_api_key", "Incorrect API key"), { kind: "paused", reason: "key_refused" }],
  [403, error(null, "Your organization must be verified"), { kind: "paused", reason: "locked" }],
  [500, error("server_error", "The server had an error"), { kind: "ambiguous" }],
  [502, HTML, { kind: "ambiguous" }],
  [200, { created: 0, data: [] }, { kind: "ambiguous" }],
  [200, HTML, { kind: "ambiguous" }],
])("status %i with %j is judged by what it proves", (status, body, expected) => {
  expect(openai.readSubmit(answer(status, body), operation())).toMatchObject(expected);
});

test("a picture that is cut off leaves it open", () => {
  expect(openai.readSubmit(cut(answer(200, MADE)), operation()).kind).toBe("ambiguous");
});

test.each([
  [200, { object: "list", data: [] }, { kind: "good" }],
  [401, error("invalid_api_key", "Incorrect API key"), { kind: "paused", reason: "key_refused" }],
  [502, HTML, { kind: "glitch" }],
])("a probe answered with %i tells the state of the key", (status, body, expected) => {
  expect(openai.readProbe?.(answer(status, body))).toEqual(expected);
});
