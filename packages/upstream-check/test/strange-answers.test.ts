import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { startConnectProxy } from "../../../test/support/connect-proxy.js";
import { createManualClock } from "../../../test/support/manual-clock.js";
import { oneMapping, openCheck, sendJson, serveCatalogue } from "./harness.js";

const model = (change: object = {}) => ({
  id: "kling/v2.5-turbo",
  name: "Kling",
  top_provider: { pricing: { currency: "RUB" }, parameters: { prompt: { required: true } } },
  ...change,
});

async function askedOf(answer: (url: URL, response: ServerResponse) => void, service = "polza") {
  const served = await serveCatalogue(answer);
  const { check } = await openCheck();
  const told = await check(`${service} --catalogue`, { root: served.root, entries: oneMapping(service) });
  return { ...told, asked: served.asked };
}

describe("an answer of polza that is no catalogue ends the check in a line", () => {
  const long = "x".repeat(100_000);
  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ["HTML", (response) => void response.end("<html>busy</html>"), /page 1 is no catalogue: 200 <html>busy/],
    ["an error", (response) => sendJson(response, { error: "x" }, 502), /page 1 is no catalogue: 502/],
    [
      "a redirect",
      (response) => void response.writeHead(302, { location: "/x" }).end(),
      /page 1 is no catalogue: 302/,
    ],
    ["another shape", (response) => sendJson(response, { data: {} }), /page 1 is no catalogue/],
    ["nothing", (response) => sendJson(response, { data: [] }), /the catalogue is empty/],
    ["a broken connection", (response) => void response.destroy(), /models\/catalog\S*: no answer/],
    ["a long text", (response) => void response.end(long), /^.{0,500}$/m],
    ["depth", (response) => void response.end("[".repeat(5000) + "]".repeat(5000)), /no catalogue/],
  ])("%s", async (_name, answer, said) => {
    const { text, code, asked } = await askedOf((_url, response) => answer(response));
    expect(text.split("\n").at(-1)).toMatch(said);
    expect(code).toBe(1);
    expect(asked).toHaveLength(1);
  });
});

test("a model whose entry cannot be read is named, and others are compared", async () => {
  const { text, code } = await askedOf((_url, response) =>
    sendJson(response, {
      data: [
        null,
        7,
        { id: 9 },
        { name: "no id" },
        model({ top_provider: { parameters: { prompt: "free" } } }),
      ],
    }),
  );
  expect(text).toContain(
    "kling-2-5-turbo by kling/v2.5-turbo\n  DIFFERS: its entry cannot be read: top_provider.",
  );
  expect(code).toBe(1);
});

test("a field that is told as null, and prices in another form, hide nothing else", async () => {
  const parameters = { voice: null, prompt: { required: true, max_length: 9 } };
  const pricing = { currency: "RUB", tiers: "from 5 RUB" };
  const { text, code } = await askedOf((_url, response) =>
    sendJson(response, { data: [model({ top_provider: { pricing, parameters }, providers: 7 })] }),
  );
  expect(text).toContain("note: it tells no price of these requests in a form that is known");
  expect(text).toMatch(/DIFFERS: prompt .* <=9 characters/);
  expect(code).toBe(1);
});

test("unknown fields, empty prices and absent parameters are no fault", async () => {
  const pricing = { currency: "RUB", per_request: {}, tiers: null, unitParam: {}, later: [1] };
  const { text, code } = await askedOf((_url, response) =>
    sendJson(response, {
      data: [model({ top_provider: { pricing, new: true }, operations: [{}] })],
      more: 1,
    }),
  );
  expect(text).toContain("note: prompt is sent, and the service does not name it");
  expect(code).toBe(0);
});

test("pages are read until all models were there, without a key", async () => {
  const others = Array.from({ length: 100 }, (_, index) => ({ id: `other/${index}` }));
  const { code, asked } = await askedOf((url, response) => {
    const page = Number(url.searchParams.get("page"));
    sendJson(response, { data: page === 1 ? others : [model()], meta: { total: 101 } });
  });
  expect(code).toBe(0);
  expect(asked.map(({ path }) => path)).toEqual([
    "/api/v1/models/catalog?include_providers=true&limit=100&page=1",
    "/api/v1/models/catalog?include_providers=true&limit=100&page=2",
  ]);
  expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
});

test("a service that tells no total, and knows no pages, is read once more", async () => {
  const { code, asked } = await askedOf((_url, response) => sendJson(response, { data: [model()] }));
  expect(code).toBe(0);
  expect(asked).toHaveLength(2);
});

test("a catalogue without an end is left", async () => {
  let next = 0;
  const { text, code, asked } = await askedOf((_url, response) =>
    sendJson(response, { data: [{ id: `a/${next++}` }] }),
  );
  expect(text).toContain("the catalogue has more than 40 pages");
  expect(code).toBe(1);
  expect(asked).toHaveLength(40);
});

test("a service that never answers is left after 20 s", async () => {
  const clock = createManualClock();
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const { root } = await serveCatalogue(() => isAsked());
  const { check } = await openCheck();
  const checking = check("polza --catalogue", { root, entries: oneMapping("polza"), clock });
  await asked;
  await clock.advance(20_000);
  expect(await checking).toMatchObject({
    code: 1,
    text: expect.stringContaining("not answered within 20000 ms"),
  });
  expect(clock.pending).toBe(0);
});

test("Ctrl-C ends it", async () => {
  const { stopping, check } = await openCheck();
  const { root } = await serveCatalogue(() => stopping.abort(new Error("interrupted")));
  const told = await check("polza --catalogue", { root, entries: oneMapping("polza") });
  expect(told).toMatchObject({ code: 1, text: expect.stringMatching(/interrupted$/) });
});

test("the operator's proxy is used", async () => {
  const proxy = await startConnectProxy(503);
  const { check } = await openCheck();
  const agent = { proxy: { httpsProxy: proxy.url } };
  const { code } = await check("polza --catalogue", { root: undefined, agent, entries: oneMapping("polza") });
  expect(proxy.asked.map(({ target }) => target)).toEqual(["polza.ai:443"]);
  expect(code).toBe(1);
});

describe("an endpoint of fal that cannot be read is named", () => {
  const path = "/fal-ai/kling-video/v2.5-turbo/pro/text-to-video";
  const at = (schema: unknown) => ({ content: { "application/json": { schema } } });
  test.each<[string, (response: ServerResponse) => void, string]>([
    [
      "unknown",
      (response) => sendJson(response, { detail: "Not Found" }, 404),
      "the service does not list it",
    ],
    ["an error", (response) => sendJson(response, {}, 500), "its entry cannot be read: 500"],
    ["HTML", (response) => void response.end("<html>"), "its entry cannot be read: 200 <html>"],
    ["a list", (response) => sendJson(response, []), "its entry cannot be read: 200 []"],
    ["other paths", (response) => sendJson(response, { paths: { "/x": {} } }), `has no POST of ${path}`],
    [
      "a body without properties",
      (response) => sendJson(response, { paths: { [path]: { post: { requestBody: at({}) } } } }),
      "the schema of its input has no properties",
    ],
    [
      "a broken connection",
      (response) => void response.destroy(),
      "its entry cannot be read: https://fal.ai/api",
    ],
  ])("%s", async (_name, answer, said) => {
    const { text, code } = await askedOf((_url, response) => answer(response), "fal");
    expect(text).toContain(said);
    expect(code).toBe(1);
  });
});

describe("an answer of kie that is no list of prices ends the check in a line", () => {
  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ["HTML", (response) => void response.end("<html>"), /page 1 is no list of prices: 200 <html>/],
    ["a refusal", (response) => sendJson(response, { code: 401, msg: "x" }), /page 1 is no list of prices/],
    ["nothing", (response) => sendJson(response, { code: 200, data: { records: [] } }), /the list is empty/],
    [
      "pages without an end",
      (response) => sendJson(response, { code: 200, data: { records: [{}], pages: 1e9 } }),
      /the list has more than 30 pages/,
    ],
  ])("%s", async (_name, answer, said) => {
    const { text, code } = await askedOf((_url, response) => answer(response), "kie");
    expect(text.split("\n").at(-1)).toMatch(said);
    expect(code).toBe(1);
  });
});

test.each<[string, object]>([
  ["its description", { modelDescription: "kling/v2-5-turbo-text-to-video-pro, 5s" }],
  ["its description and use", { modelDescription: "kling v2.5 turbo, text to video pro, 5s" }],
  [
    "its description without the maker",
    { modelDescription: "Kuaishou Kling v2-5-turbo, text-to-video-pro", provider: "Kuaishou" },
  ],
  ["the model of its address", { anchor: "https://kie.ai/kling?model=kling%2Fv2-5-turbo-text-to-video-pro" }],
  ["the path of its address", { anchor: "https://kie.ai/kling/v2-5-turbo-text-to-video-pro" }],
])("a price of kie belongs to a model by %s", async (_name, given) => {
  const record = {
    modelDescription: "A video",
    provider: "",
    creditPrice: "42",
    creditUnit: "per video",
    anchor: "",
  };
  const other = { ...record, creditPrice: "43", modelDescription: "kling v2-5 turbo, image-to-video-pro" };
  const { text, code } = await askedOf(
    (_url, response) =>
      sendJson(response, { code: 200, data: { records: [{ ...record, ...given }, other] } }),
    "kie",
  );
  expect(text).toContain("note: it asks 42 kie_credit, and the mapping tells no cost");
  expect(code).toBe(0);
});

test("prices of kie that cannot be read are left out", async () => {
  const price = {
    modelDescription: "Kling/v2-5-turbo-text-to-video-pro, 5s",
    provider: "",
    creditPrice: "42",
  };
  const records = [null, 7, {}, { ...price, creditPrice: "free" }, { ...price, anchor: 7, creditUnit: null }];
  const { text, code } = await askedOf(
    (_url, response) => sendJson(response, { code: 200, data: { records } }),
    "kie",
  );
  expect(text).toContain("note: it asks 42 kie_credit, and the mapping tells no cost");
  expect(code).toBe(0);
});
