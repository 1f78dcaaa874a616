import { once } from "node:events";
import { request } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { rawAnswer, refusal } from "../harness.js";
import { startApi } from "./api.js";
import { reference } from "./judge.js";

/** The endpoints that are not open by the reference. */
const ENDPOINTS = Object.entries(reference.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { security }]) => security === undefined)
    .flatMap(([method]) => ["1", "x"].map((id) => [method.toUpperCase(), path.replace("{id}", id)] as const)),
);

test("every endpoint but /health needs a key, which is checked first", async () => {
  const api = await startApi();
  expect(ENDPOINTS.map(([, path]) => path)).toContain("/generations");
  for (const [method, path] of ENDPOINTS) {
    const body = method === "POST" ? { body: "{" } : {};
    const missing = await api.send(path, { method, ...body });
    expect([missing.status, missing.body.error], path).toEqual([401, "api_key_required"]);
    const wrong = await api.send(path, { method, headers: { "x-api-key": "atl_wrong" }, ...body });
    expect([wrong.status, wrong.body.error], path).toEqual([401, "invalid_api_key"]);
  }
  expect((await api.get("/health", {})).body).toEqual({ ok: true, version: "v1" });
  expect((await api.get("/health", { authorization: "Bearer wrong" })).status).toBe(200);
});

test("a key is sent as a Bearer token or as X-API-Key; where both are sent, only the Bearer token counts", async () => {
  const api = await startApi();
  const { key } = api;
  const outcomes: [Record<string, string>, string | undefined][] = [
    [{ authorization: `Bearer ${key}` }, undefined],
    [{ authorization: `BEARER   ${key}  ` }, undefined],
    [{ "x-api-key": key }, undefined],
    [{ "X-API-KEY": ` ${key} ` }, undefined],
    [{ authorization: `Bearer ${key}`, "x-api-key": "wrong" }, undefined],
    [{ authorization: "Bearer wrong", "x-api-key": key }, "invalid_api_key"],
    [{ authorization: "Bearer", "x-api-key": key }, "api_key_required"],
    [{ authorization: key, "x-api-key": key }, undefined],
    [{ authorization: "Bearer " }, "api_key_required"],
    [{ "x-api-key": "" }, "api_key_required"],
    [{ authorization: "" }, "api_key_required"],
    [{ authorization: key }, "api_key_required"],
    [{ authorization: `Basic ${key}` }, "api_key_required"],
    [{ authorization: "Basic x", "x-api-key": key }, undefined],
    [{ authorization: `Bearer ${key} ${key}` }, "invalid_api_key"],
    [{ authorization: `Bearer ${key.slice(0, -1)}` }, "invalid_api_key"],
    [{ authorization: `Bearer ${"x".repeat(4000)}` }, "invalid_api_key"],
  ];
  for (const [headers, error] of outcomes) {
    const { status, body, headers: answered } = await api.get("/balance", headers);
    expect([status, body.error], JSON.stringify(headers)).toEqual([error ? 401 : 200, error]);
    expect(answered.get("www-authenticate")).toBe(error ? "Bearer" : null);
  }
});

test("two Authorization headers are refused: a proxy may have judged the other one", async () => {
  const api = await startApi();
  const pairs = [
    [`Bearer ${api.key}`, "Bearer wrong"],
    ["Bearer wrong", `Bearer ${api.key}`],
    [`Bearer ${api.key}`, `Bearer ${api.key}`],
    ["Basic x", `Bearer ${api.key}`],
  ];
  for (const [first = "", second = ""] of pairs) {
    const keys = `Authorization: ${first}\r\nauthorization: ${second}\r\nX-API-Key: ${api.key}\r\n`;
    const head = `GET /v1/balance HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${keys}\r\n`;
    const answer = await rawAnswer(api.url, head);
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*^www-authenticate: Bearer\r$.*"invalid_api_key"/ims);
  }
});

test("a key in the query is rejected and does not reach the log", async () => {
  const api = await startApi();
  for (const name of ["key", "api_key", "access_token", "x-api-key"]) {
    const { body } = await api.get(`/balance?${name}=${api.key}`, {});
    expect(body.error).toBe("api_key_required");
  }
  await api.get(`/${api.key}`, {});
  expect(JSON.stringify(api.lines)).not.toContain(api.key.slice(12));
});

test("a key that is revoked during the upload of a body pays for nothing", async () => {
  const api = await startApi();
  const headers = { authorization: `Bearer ${api.key}`, "content-length": 18, expect: "100-continue" };
  const outgoing = request(`${api.url}/v1/generations`, { method: "POST", headers });
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  await api.adminService.revokeKey(1);
  outgoing.end('{"prompt":"a fox"}');
  const [response] = await once(outgoing, "response");
  expect(await json(response)).toEqual(refusal("invalid_api_key"));
  expect(api.money().charges).toEqual([]);
});
