import { expect, test } from "vitest";
import { CONTRACT_ERROR_CODES } from "../../../src/contract/errors.js";
import { API_ERRORS } from "../../../src/http/v1/errors.js";
import { startApi } from "./api.js";
import { judgeOf, type Operation, reference } from "./judge.js";

const operations = Object.entries(reference.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every code that an operation answers with a status. */
function codesOf({ responses }: Operation): Map<string, number> {
  const codes = new Map<string, number>();
  for (const [status, { content }] of Object.entries(responses)) {
    for (const code of Object.keys(content["application/json"]?.examples ?? {})) {
      if (code in API_ERRORS) codes.set(code, Number(status));
    }
  }
  return codes;
}

test("the document is generated once and public", async () => {
  const { url } = await startApi();
  const answer = await fetch(`${url}/openapi.json`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await answer.json()).toEqual(reference);
  expect((await fetch(`${url}/openapi.json`, { method: "HEAD" })).status).toBe(200);
  const wrong = await fetch(`${url}/openapi.json`, { method: "POST" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("the document describes the five endpoints of section 4, and which of them need a key", () => {
  expect(reference.openapi).toBe("3.1.0");
  expect(reference.servers).toEqual([{ url: "http://127.0.0.1:8080/v1" }]);
  expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "get /health",
    "get /balance",
    "get /models",
    "post /generations",
    "get /generations/{id}",
  ]);
  const open = operations.filter(({ operation }) => operation.security?.length === 0);
  expect(open.map(({ path }) => path)).toEqual(["/health"]);
  expect(Object.keys(reference.components.securitySchemes)).toEqual(["bearer", "apiKey"]);
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
});

test("every path parameter is described and required, and the one request header is optional", () => {
  for (const { path, method, operation } of operations) {
    const { parameters = [] } = operation;
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => name)).toEqual(named);
    expect(inPath.every(({ required }) => required)).toBe(true);
    const others = parameters.filter((parameter) => !inPath.includes(parameter));
    expect(others.map(({ name, required, in: place }) => ({ name, required, place }))).toEqual(
      method === "post" ? [{ name: "Idempotency-Key", required: false, place: "header" }] : [],
    );
  }
});

test("every response of the document has the idempotency header", () => {
  for (const { path, operation } of operations) {
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      expect(headers?.["Idempotency-Key-Retention"], `${path} ${status}`).toMatchObject({
        schema: { type: "integer", const: 86_400 },
      });
    }
  }
});

test("every error code of the contract is listed where it can occur, with its status and its body", () => {
  const all = new Map(operations.flatMap(({ operation }) => [...codesOf(operation)]));
  for (const code of CONTRACT_ERROR_CODES) expect(all.get(code), code).toBe(API_ERRORS[code].status);
  expect([...all.keys()].sort()).toEqual(Object.keys(API_ERRORS).sort());
  for (const { operation } of operations) {
    expect(codesOf(operation).has("invalid_api_key")).toBe(operation.security === undefined);
  }
  const limited = operations.find(({ method }) => method === "post")?.operation.responses[429];
  expect(limited?.headers).toHaveProperty("Retry-After");
});

test("every schema is valid, every reference resolves, and every example validates", () => {
  for (const schema of Object.values(reference.components.schemas)) judgeOf(schema);
  let judged = 0;
  for (const { path, operation } of operations) {
    const described = [...Object.values(operation.responses), operation.requestBody].filter(
      (media) => media !== undefined,
    );
    for (const { content } of described) {
      const { schema, examples = {} } = content["application/json"] ?? { schema: {} };
      const judge = judgeOf(schema);
      for (const [name, { value }] of Object.entries(examples)) {
        expect(judge(value), `${path} ${name}: ${JSON.stringify(judge.errors)}`).toBe(true);
        judged += 1;
      }
    }
  }
  expect(judged).toBeGreaterThan(60);
});

test("an image or video body needs a non-blank prompt, under one of its two names", () => {
  const body = reference.paths["/generations"]?.post?.requestBody?.content["application/json"];
  const judge = judgeOf(body?.schema ?? {});
  for (const type of ["image", "video"]) {
    for (const given of [
      { prompt: "a fox" },
      { prompt_text: "a fox" },
      { prompt: " ", prompt_text: "a fox" },
      { prompt: "a fox", prompt_text: "" },
    ])
      expect(judge({ type, ...given }), JSON.stringify(given)).toBe(true);
    for (const given of [
      {},
      { prompt: " " },
      { prompt: null },
      { prompt_text: "" },
      { description: "a fox" },
    ])
      expect(judge({ type, ...given }), JSON.stringify(given)).toBe(false);
  }
  expect(judge({}), "an image is the default").toBe(false);
  expect(judge({ type: "music", description: "a slow song" })).toBe(true);
});

test("the examples use bodies, prices and titles of the served catalogue", async () => {
  const api = await startApi();
  const { post } = reference.paths["/generations"] ?? {};
  const requests = post?.requestBody?.content["application/json"]?.examples ?? {};
  const accepted = post?.responses[200]?.content["application/json"]?.examples ?? {};
  expect(Object.keys(requests)).toEqual(["image", "video", "music"]);
  for (const [type, { value }] of Object.entries(requests)) {
    const { body } = await api.post(value);
    const { cost_rub, unit_cost_rub } = body;
    expect(accepted[type]?.value, type).toMatchObject(
      type === "image" ? { cost_rub, unit_cost_rub } : { cost_rub },
    );
    const { body: answer } = await api.get(`/generations/${body.job_id}`);
    const { model, model_title } = answer.job as Record<string, unknown>;
    const jobs = Object.values(
      reference.paths["/generations/{id}"]?.get?.responses[200]?.content["application/json"]?.examples ?? {},
    ).map(({ value: example }) => (example as { job: Record<string, unknown> }).job);
    for (const job of jobs.filter((one) => one.type === type))
      expect([job.model, job.model_title]).toEqual([model, model_title]);
  }
});

test("responses with a missing, an extra or a mistyped field do not validate", () => {
  const schema = reference.components.schemas.Job;
  if (!schema) throw new Error("no schema of a job");
  const judge = judgeOf(schema);
  const job = {
    job_id: 1,
    type: "image",
    status: "queued",
    model: null,
    model_title: null,
    cost_rub: 1.5,
    result: null,
    error: null,
    created_at: null,
  };
  expect(judge(job)).toBe(true);
  for (const wrong of [
    { ...job, failure: "timeout" },
    { ...job, job_id: "1" },
    { ...job, job_id: 0 },
    { ...job, status: "lost" },
    { ...job, result: {} },
    { ...job, cost_rub: "1" },
    { ...job, created_at: undefined },
  ]) {
    expect(judge(JSON.parse(JSON.stringify(wrong)))).toBe(false);
  }
});
