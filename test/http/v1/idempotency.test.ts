import { describe, expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { nodeMediaDisk } from "../../../src/media/disk.js";
import { eventually } from "../../support/eventually.js";
import { failOnce } from "../../support/fail-once.js";
import { rawAnswer, refusal, startServer } from "../harness.js";
import { startApi, type TestApi } from "./api.js";

const FOX = { type: "image", model_key: "nano-banana-2", prompt: "a red fox", count: 2 };
const PRICE_KOPECKS = 2000;
const DAY_MS = 24 * 60 * 60 * 1000;

function postKeyed(api: TestApi, key: string, body: unknown = FOX, bearer = api.key) {
  return api.post(body, { authorization: `Bearer ${bearer}`, "idempotency-key": key });
}

describe("a POST with an idempotency key", () => {
  test("is accepted once: the same body gets the same response again and is not charged again", async () => {
    const api = await startApi({ rubles: PRICE_KOPECKS / 100 });
    const first = await postKeyed(api, "order-1");
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null]);
    await api.core.start();
    // The names in another order, with another layout: the same JSON.
    const again = await postKeyed(
      api,
      "order-1",
      ' {"count":2, "prompt":"a red fox",\n"model_key":"nano-banana-2","type":"image"}',
    );
    expect([again.status, again.headers.get("idempotent-replayed"), again.body]).toEqual([
      200,
      "true",
      first.body,
    ]);
    expect(api.money().charges).toHaveLength(1);
    const { job_ids } = first.body;
    const ids = [first, again].map(({ headers }) => headers.get("x-request-id"));
    const told = { account_id: api.accountId, key_id: expect.any(Number), job_ids };
    await eventually("both lines", () => api.lines.filter(({ msg }) => msg === "request").length === 2);
    expect(api.lines.filter(({ msg }) => msg === "request")).toMatchObject(
      ids.map((reqId) => ({ reqId, ...told })),
    );
    const orders = api.lines.filter(({ msg }) => msg === "order accepted");
    expect(orders).toMatchObject([{ reqId: ids[0], account_id: api.accountId, job_ids }]);
  });

  test("is rejected with 409 while the first one is in flight, with any body", async () => {
    const api = await startApi();
    const { database } = api;
    const write = database.write.bind(database);
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    database.write = async (label, work) => {
      begun.resolve();
      await released.promise;
      return write(label, work);
    };
    const first = postKeyed(api, "slow");
    await begun.promise;
    for (const body of [FOX, { ...FOX, count: 1 }]) {
      const early = await postKeyed(api, "slow", body);
      expect([early.status, early.body]).toEqual([409, refusal("idempotency_key_in_use")]);
    }
    released.resolve();
    expect((await first).status).toBe(200);
    expect(api.money().charges).toHaveLength(1);
  });

  test("that met a full store or a failed commit leaves its key free", async () => {
    let free = 0;
    const failPoint = failOnce("commit:before", "job:accept");
    const api = await startApi({ mediaDisk: { ...nodeMediaDisk, freeBytes: async () => free }, failPoint });
    expect((await postKeyed(api, "free")).status).toBe(503);
    free = 2 ** 40;
    await api.clock.advance(60_000);
    expect((await postKeyed(api, "free")).status, "the commit fails").toBe(503);
    await api.clock.advance(60_000);
    const accepted = await postKeyed(api, "free", { ...FOX, count: 1 });
    expect([accepted.status, accepted.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(api.money().charges).toHaveLength(1);
  });

  test("belongs to one account, across its API keys", async () => {
    const api = await startApi();
    const first = await postKeyed(api, "shared");
    const { key: second } = await api.adminService.createKey(api.accountId, null);
    expect((await postKeyed(api, "shared", FOX, second)).body).toEqual(first.body);
    const { id } = await api.adminService.createAccount("other");
    await api.adminService.credit(id, asKopecks(PRICE_KOPECKS), null);
    const { key: foreign } = await api.adminService.createKey(id, null);
    const other = await postKeyed(api, "shared", FOX, foreign);
    expect([other.status, other.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(other.body.job_id).not.toBe(first.body.job_id);
  });

  test("is remembered for 24 hours, and is a new request afterwards", async () => {
    const api = await startApi();
    const first = await postKeyed(api, "daily");
    await api.clock.advance(DAY_MS - 1);
    const again = await postKeyed(api, "daily");
    expect(again.body).toEqual(first.body);
    await api.clock.advance(1);
    const next = await postKeyed(api, "daily", { ...FOX, count: 1 });
    expect([next.status, next.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(api.money().charges).toHaveLength(2);
  });
});

describe("the Idempotency-Key header", () => {
  test.each([
    ["empty", ""],
    ["longer than 255 characters", "k".repeat(256)],
    ["a control character", "a\tb"],
    ["not ASCII", "cl\u00e9"],
  ])("is rejected when it is %s", async (_what, key) => {
    const api = await startApi();
    const answer = await postKeyed(api, key);
    expect([answer.status, answer.body]).toEqual([400, refusal("bad_idempotency_key")]);
    expect(api.money().charges).toEqual([]);
  });

  test("is accepted with 1 and with 255 printable characters", async () => {
    const api = await startApi();
    for (const key of ["k", "~".repeat(255), '"a key, in quotes"', "api:1", "__proto__"]) {
      expect((await postKeyed(api, key)).status).toBe(200);
      expect((await postKeyed(api, key)).headers.get("idempotent-replayed")).toBe("true");
    }
    expect(api.money().charges).toHaveLength(5);
  });

  test("is rejected when it is sent twice", async () => {
    const api = await startApi();
    const body = JSON.stringify(FOX);
    const answer = await rawAnswer(
      api.url,
      `POST /v1/generations HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${api.key}\r\nconnection: close\r\n`,
      `idempotency-key: a\r\nidempotency-key: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toContain('{"ok":false,"error":"bad_idempotency_key",');
    expect(api.money().charges).toEqual([]);
  });

  test("is validated after the API key and the JSON, and before the type", async () => {
    const api = await startApi();
    const wrong = { "idempotency-key": "" };
    const authorization = `Bearer ${api.key}`;
    expect((await api.post("{}", wrong)).body.error).toBe("api_key_required");
    for (const body of ["{", "[]", "1"]) {
      expect((await api.post(body, { authorization, ...wrong })).body.error, body).toBe("invalid_json");
    }
    expect((await api.post({ type: "x" }, { authorization, ...wrong })).body.error).toBe(
      "bad_idempotency_key",
    );
  });
});

test("every response below /v1 states how long keys are remembered, and no other response does", async () => {
  const { url } = await startServer();
  const announced = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, init);
    return [answer.status, answer.headers.get("idempotency-key-retention")];
  };
  expect(await announced("/v1/health", { method: "HEAD" })).toEqual([200, "86400"]);
  expect(await announced("/v1/health", { method: "DELETE" })).toEqual([405, "86400"]);
  expect(await announced("/v1/nothing?here")).toEqual([404, "86400"]);
  expect(await announced("/v1")).toEqual([404, "86400"]);
  expect(await announced("/v1?x")).toEqual([404, "86400"]);
  expect(await announced(`/v1/generations/${"1".repeat(9000)}`)).toEqual([414, "86400"]);
  expect(await announced("/v1/generations/%zz")).toEqual([401, "86400"]);
  expect(await announced("/%761/health")).toEqual([200, "86400"]);
  expect(await announced("/v10")).toEqual([404, null]);
  expect(await announced("/docs")).toEqual([200, null]);
});
