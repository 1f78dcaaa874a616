import { expect, test } from "vitest";
import { isLoopback } from "../../src/http/connections.js";
import type { Metric } from "../../src/platform/metric.js";
import { open, rawAnswer, refusal, startServer } from "./harness.js";

/** The value of each series. The rules of the format: told by promtool in test/faults/prometheus.test.ts. */
function parse(text: string): Map<string, number> {
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map((line) => [line.replace(/ \S+$/, ""), Number(line.split(" ").at(-1))]));
}

async function scrape(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/metrics`, { headers });
  expect(answer.status).toBe(200);
  return { answer, series: parse(await answer.text()) };
}

test("/metrics is in the Prometheus text format, with what is collected and what is of the process", async () => {
  const samples = [
    { labels: { type: "image", outcome: "done" }, value: 10 },
    { labels: { type: "image", outcome: 'a "quote"\nand \\' }, value: 0 },
  ];
  const collected: Metric[] = [
    { name: "atelier_jobs_total", help: "Jobs.", kind: "counter", samples },
    { name: "atelier_queue_oldest_age_seconds", help: "Age.", kind: "gauge", samples: [{ value: 90.5 }] },
  ];
  const { url } = await startServer({
    metrics: { collectors: [async () => collected], token: undefined },
  });
  await scrape(url);
  const { answer, series } = await scrape(url);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(Object.fromEntries([...series].filter(([name]) => name.startsWith("atelier_")))).toEqual({
    'atelier_jobs_total{type="image",outcome="done"}': 10,
    'atelier_jobs_total{type="image",outcome="a \\"quote\\"\\nand \\\\"}': 0,
    atelier_queue_oldest_age_seconds: 90.5,
  });
  for (const percentile of ["50", "99", "100"])
    expect(series.get(`event_loop_delay_seconds{percentile="${percentile}"}`)).toBeGreaterThanOrEqual(0);
  expect(series.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  expect(series.has("process_cpu_seconds_total")).toBe(true);
});

test("requests are counted by route and status, and no client's path becomes a label", async () => {
  const { url } = await startServer({
    files: async ({ name }) => (name === "fox" ? open("a fox") : { outcome: "forged" }),
  });
  const begun = performance.now();
  for (const path of [
    "/files/fox",
    "/files/secret-one",
    "/files/secret-two",
    "/healthz",
    "/stranger/1",
    "/stranger/2",
  ])
    await (await fetch(url + path)).text();
  await fetch(`${url}/healthz`, { method: "DELETE" });
  const tookSec = (performance.now() - begun) / 1000;
  const { series } = await scrape(url);
  expect(Object.fromEntries([...series].filter(([name]) => name.startsWith("http_requests_total")))).toEqual({
    'http_requests_total{method="GET",route="/files/:name",status="200"}': 1,
    'http_requests_total{method="GET",route="/files/:name",status="403"}': 2,
    'http_requests_total{method="GET",route="/healthz",status="200"}': 1,
    'http_requests_total{method="GET",route="none",status="404"}': 2,
    'http_requests_total{method="DELETE",route="none",status="405"}': 1,
  });
  expect(series.get('http_request_duration_seconds_count{method="GET",route="/files/:name"}')).toBe(3);
  expect(
    series.get('http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/files/:name"}'),
  ).toBe(3);
  const sum = series.get('http_request_duration_seconds_sum{method="GET",route="/files/:name"}');
  expect(sum, "in seconds").toBeLessThanOrEqual(tookSec);
  const bounds = [...series.keys()].flatMap((name) => /_bucket\{le="(\S+?)",.*healthz/.exec(name)?.[1] ?? []);
  expect(bounds).toEqual(["0.005", "0.025", "0.1", "0.5", "2.5", "10", "+Inf"]);
  expect([...series.keys()].join()).not.toMatch(/secret|stranger/);
});

test.each([
  "x-forwarded-for",
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "cf-connecting-ip",
  "cf-ray",
  "cdn-loop",
  "fly-client-ip",
  "x-amzn-trace-id",
  "x-envoy-external-address",
  "x-varnish",
  "x-arr-log-id",
  "x-nginx-proxy",
  "x-akamai-edgescape",
  "x-cdn-src-ip",
  "x-scheme",
  "front-end-https",
])("without a token, a local proxy does not expose it to others: %s", async (header) => {
  for (const isProxyTrusted of [false, true]) {
    const { url } = await startServer({ isProxyTrusted });
    for (const value of ["127.0.0.1", "203.0.113.9"]) {
      const answer = await fetch(`${url}/metrics`, { headers: { [header]: value } });
      expect([answer.status, await answer.json()]).toEqual([403, refusal("metrics_not_public")]);
    }
  }
});

/** The status of a scrape under this name. */
async function statusUnder(url: string, host: string | undefined): Promise<number> {
  const version = host === undefined ? "1.0" : "1.1";
  const field = host === undefined ? "" : `Host: ${host.replace("PORT", new URL(url).port)}\r\n`;
  const answer = await rawAnswer(url, `GET /metrics HTTP/${version}\r\n${field}Connection: close\r\n\r\n`);
  return Number(answer.split(" ")[1]);
}

test.each([
  ["127.0.0.1:PORT", 200],
  ["LOCALHOST:PORT", 200],
  ["127.3.2.1", 200],
  ["[::1]:PORT", 200],
  ["atelier.example", 403],
  ["localhost.evil.example", 403],
  ["127.0.0.1.evil.example:PORT", 403],
  ["10.0.0.1:PORT", 403],
  ["", 403],
  [undefined, 403],
])("without a token it is served under a local host name only: %s is %i", async (host, status) => {
  const { url } = await startServer();
  expect(await statusUnder(url, host)).toBe(status);
});

test.each([
  "http://atelier.example/metrics",
  "HTTPS://atelier.example:80/metrics",
  "http://a@localhost/metrics",
])("without a token the host of an absolute URL counts, whatever Host says: %s", async (target) => {
  const { url } = await startServer();
  const bytes = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  expect(await rawAnswer(url, bytes)).toMatch(/^HTTP\/1\.1 403 /);
});

test.each([
  ["127.8.9.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["10.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["2001:db8::127", false],
  [undefined, false],
])("a connection from %s is local: %s", (address, isLocal) => {
  expect(isLoopback(address)).toBe(isLocal);
});

test("with a token it is served to its holder only, under any name and through any proxy", async () => {
  const asked: string[] = [];
  const collector = async () => {
    asked.push("stats");
    return [];
  };
  const { url, lines } = await startServer({ metrics: { collectors: [collector], token: "s3cret-token" } });
  for (const authorization of [
    "",
    "s3cret-token",
    "Bearer",
    "Bearer s3cret-token2",
    "Bearers3cret-token",
    "Bearer s3cret-token s3cret-token",
    "Basic s3cret-token",
  ]) {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization } });
    expect([answer.status, await answer.json()]).toEqual([401, refusal("metrics_token_required")]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  }
  expect((await fetch(`${url}/metrics?token=s3cret-token`)).status).toBe(401);
  expect(asked).toEqual([]);
  expect(await statusUnder(url, "atelier.example")).toBe(401);
  const proxied = { via: "1.1 proxy", "x-forwarded-for": "203.0.113.9", "cf-connecting-ip": "203.0.113.9" };
  for (const scheme of ["Bearer", "bearer", "BEARER"])
    await scrape(url, { authorization: `${scheme} s3cret-token`, ...proxied });
  expect(asked).toEqual(["stats", "stats", "stats"]);
  expect(JSON.stringify(lines)).not.toContain("s3cret-token");
});

test("failing core metrics are a 500, and the next request is answered", async () => {
  let isBroken = true;
  const collector = async () => {
    if (isBroken) throw new Error("disk I/O error");
    return [];
  };
  const { url } = await startServer({ metrics: { collectors: [collector], token: undefined } });
  expect((await fetch(`${url}/metrics`)).status).toBe(500);
  isBroken = false;
  await scrape(url);
});
