import { type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import type { ServiceName } from "@atelier/upstream-stand-ins";
import { expect, test } from "vitest";
import { TEST_CERTIFICATE } from "../support/https-certificate.js";
import { startHttpsServer } from "../support/https-server.js";
import { startUpstreamService } from "../support/upstream-service.js";

/** Between the first look, at 200 ms, and the next poll of the net, half a minute later. */
const TIMING = { queueMs: 100, runMs: 900 };
const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };
/** Less than until the next poll. */
const SOON_MS = 20_000;

/** A POST over https, which ends in this machine. */
function postHttps(address: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = requestHttps(address, {
      method: "POST",
      ca: TEST_CERTIFICATE,
      hostname: "127.0.0.1",
      servername: new URL(address).hostname,
      headers: { host: new URL(address).host, "content-type": "application/json" },
      agent: false,
    });
    call.once("error", reject).once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.end(body);
  });
}

/** The service behind a proxy for https, and services of PROVIDERS that call it. */
async function startBehindHttps(names: readonly ServiceName[]) {
  let inner = "";
  const proxy = await startHttpsServer((request: IncomingMessage, response: ServerResponse) => {
    const { method, url = "/", headers } = request;
    const call = requestHttp(`${inner}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    call.once("error", () => response.writeHead(502).end());
    request.pipe(call);
  });
  const calls: { url: string; status: number }[] = [];
  const service = await startUpstreamService(
    names.join(),
    { PUBLIC_URL: proxy.origin },
    {
      timing: TIMING,
      async postCallback(url, body) {
        calls.push({ url, status: await postHttps(url, body) });
      },
    },
  );
  inner = service.url;
  const { stand } = service;
  return {
    ...service,
    calls,
    origin: proxy.origin,
    /** How often a service was asked about its tasks. */
    looks: (name: ServiceName) =>
      stand.calls.filter(({ service, kind }) => service === name && kind === "task").length,
  };
}

test("services call over https when their tasks have ended: results are told then, and not by a poll", async () => {
  const names = ["fal", "kie"] as const;
  const { stand, calls, origin, make, metrics, looks } = await startBehindHttps(names);
  const startedAt = Date.now();
  for (const job of await Promise.all([make(PICTURE), make(SONG)]))
    expect(job).toMatchObject({ status: "done" });
  expect(Date.now() - startedAt).toBeLessThan(SOON_MS);
  expect(calls.map(({ status }) => status)).toEqual(names.map(() => 200));
  for (const name of names) {
    expect(calls.filter(({ url }) => url.startsWith(`${origin}/hooks/${name}/`))).toHaveLength(1);
    // The first look and that of the callback, which fal answers in two steps.
    expect(looks(name)).toBeLessThanOrEqual(name === "fal" ? 3 : 2);
    expect(await metrics()).toContain(
      `atelier_upstream_callbacks_total{provider="${name}",outcome="asked"} 1`,
    );
  }
  expect([stand.ledger.length, stand.breaches]).toEqual([names.length, []]);
});
