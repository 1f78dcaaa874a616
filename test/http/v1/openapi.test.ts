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

test("it is served as it was made, for everybody, and made once", async () => {
  const { url } = await startApi();
  const answer = await fetch(`${url}/openapi.json`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await answer.json()).toEqual(reference);
  expect((await fetch(`${url}/openapi.json`, { method: "HEAD" })).status).toBe(200);
  const wrong = await fetch(`${url}/openapi.json`, { method: "POST" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("it describes the five endpoints of section 4, and which of them need a key", () => {
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

test("every parameter of a path is described", () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters?.map(({ name }) => name) ?? []).toEqual(named);
    for (const parameter of operation.parameters ?? []) {
      expect(parameter).toMatchObject({ in: "path", required: true });
    }
  }
});

test("every error code of the contract stands where it can happen, with its status and its body", () => {
  const all = new Map(operations.flatMap(({ operation }) => [...codesOf(operation)]));
  for (const code of CONTRACT_ERROR_CODES) expect(all.get(code), code).toBe(API_ERRORS[code].status);
  expect([...all.keys()].sort()).toEqual(Object.keys(API_ERRORS).sort());
  for (const { operation } of operations) {
    expect(codesOf(operation).has("invalid_api_key")).toBe(operation.security === undefined);
  }
  const limited = operations.find(({ method }) => method === "post")?.operation.responses[429];
  expect(limited?.headers).toHaveProperty("Retry-After");
});

test("every schema is valid, every reference in it leads somewhere, and every example fits", () => {
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

test("answers with a field too much, too little or of another type do not fit", () => {
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
