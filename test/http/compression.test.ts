import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { acceptedEncoding } from "../../src/http/compression.js";
import { gauge } from "../../src/platform/metric.js";
import { catalogue } from "../support/core.js";
import { CLOSED_API, open, startServer } from "./harness.js";

/** An API that every key opens. */
const OPEN_API = {
  ...CLOSED_API,
  models: catalogue.models,
  authenticate: () => ({ accountId: 1, keyId: 1 }),
};
const METRICS = {
  collectors: [async () => [gauge("atelier_a", "x".repeat(5000), 1)]],
  token: undefined,
};

/** Sends a request and returns the answer as it is on the wire. */
async function ask(url: string, headers: Record<string, string> = {}, method = "GET") {
  const outgoing = request(url, { method, headers: { authorization: "Bearer key", ...headers } });
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>(
    (resolve, reject) => {
      outgoing.on("error", reject).on("response", (response) => {
        const { statusCode: status = 0 } = response;
        buffer(response).then((bytes) => resolve({ status, headers: response.headers, bytes }), reject);
      });
      outgoing.end();
    },
  );
}

const DECOMPRESSED = { br: brotliDecompressSync, gzip: gunzipSync };

test.each([
  ["empty", "", undefined],
  ["of a browser", "gzip, deflate, br, zstd", "br"],
  ["with weights", "br;q=0.5, GZIP;q=0.8", "gzip"],
  ["that refuses", "gzip;q=0, br;q=0.000", undefined],
  ["that takes anything", "*", "br"],
  ["that takes anything but one", "br;q=0, *;q=0.1", "gzip"],
  ["that prefers plain bytes", "gzip;q=0.5, identity;q=1", undefined],
  ["unknown", "zstd, x", undefined],
  ["broken", "gzip;q=a;;,,=;q, ", undefined],
])("an Accept-Encoding %s chooses as RFC 9110 says", (_what, header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

test.each(["/v1/models", "/openapi.json", "/docs", "/metrics"])(
  "%s is sent as small as the client takes it, with the same content",
  async (path) => {
    const { url } = await startServer({ api: OPEN_API, metrics: METRICS });
    const plain = await ask(url + path);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers.vary).toBe("accept-encoding");
    const tags = [plain.headers.etag];
    for (const encoding of ["br", "gzip"] as const) {
      const accept = { "accept-encoding": encoding };
      const answer = await ask(url + path, accept);
      expect(answer.headers).toMatchObject({
        "content-encoding": encoding,
        vary: "accept-encoding",
        "content-type": plain.headers["content-type"],
        "content-length": String(answer.bytes.length),
      });
      expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 3);
      const whole = DECOMPRESSED[encoding](answer.bytes);
      if (path !== "/metrics") expect(whole.equals(plain.bytes)).toBe(true);
      else expect(whole.toString()).toContain("atelier_a 1");
      const head = await ask(url + path, accept, "HEAD");
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect(head.headers).toMatchObject({ "content-encoding": encoding, vary: "accept-encoding" });
      if (path !== "/metrics") expect(head.headers["content-length"]).toBe(String(answer.bytes.length));
      tags.push(answer.headers.etag);
    }
    if (path !== "/metrics") expect(new Set(tags).size, "a strong tag is of the bytes").toBe(3);
  },
);

test.each(["/v1/models", "/openapi.json", "/docs", "/docs/reference.js"])(
  "%s is not sent again to a client that has it",
  async (path) => {
    const { url } = await startServer({ api: OPEN_API });
    for (const accept of ["identity", "gzip", "br"]) {
      const headers = { "accept-encoding": accept };
      const { etag = "" } = (await ask(url + path, headers)).headers;
      expect(etag).toMatch(/^"[^"]+"$/);
      for (const method of ["GET", "HEAD"]) {
        const known = await ask(url + path, { ...headers, "if-none-match": `"x", ${String(etag)}` }, method);
        expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, etag]);
        expect(known.headers.vary).toBe("accept-encoding");
        expect(known.headers["content-encoding"]).toBeUndefined();
        expect(known.headers["content-length"]).toBeUndefined();
        expect(known.headers["cache-control"]).toMatch(/^(?:private, )?no-cache$/);
      }
      expect((await ask(url + path, { ...headers, "if-none-match": '"x"' })).status).toBe(200);
    }
  },
);

test("the program of the reference is compressed already, and plain for a client that takes nothing else", async () => {
  const { url } = await startServer({ api: OPEN_API });
  const small = await ask(`${url}/docs/reference.js`, { "accept-encoding": "gzip, br" });
  expect(small.headers["content-encoding"]).toBe("gzip");
  const plain = await ask(`${url}/docs/reference.js`);
  expect([plain.headers["content-encoding"], plain.headers.vary]).toEqual([undefined, "accept-encoding"]);
  expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true);
});

test("a long answer of the API is compressed as it comes", async () => {
  const image_url = `https://studio.example.com/files/${"a".repeat(400)}`;
  const track = { index: 1, title: "Sea", duration: 31, url: image_url, mime: "audio/mpeg", image_url };
  const job = { job_id: "music_1", result: { url: null, mime: null, tracks: [track, track, track] } };
  const { url } = await startServer({ api: { ...OPEN_API, job: () => job as never } });
  const answer = await ask(`${url}/v1/generations/music_1`, { "accept-encoding": "gzip" });
  expect(answer.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
  expect(JSON.parse(gunzipSync(answer.bytes).toString())).toEqual({ ok: true, job });
});

test("what is short, and a file whatever it is, is sent as it is", async () => {
  const { url } = await startServer({
    api: OPEN_API,
    files: async () => open("x".repeat(5000), { mime: "text/plain" }),
  });
  for (const [path, bytes] of [
    ["/healthz", 11],
    ["/v1/balance", 51],
    ["/files/a", 5000],
  ] as const) {
    const answer = await ask(url + path, { "accept-encoding": "br, gzip" });
    expect([answer.status, answer.headers["content-encoding"], answer.headers.vary], path).toEqual([
      200,
      undefined,
      undefined,
    ]);
    expect(answer.headers["content-length"], path).toBe(String(bytes));
    expect(answer.bytes.length, path).toBe(bytes);
  }
});
