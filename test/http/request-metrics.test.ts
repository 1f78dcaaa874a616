import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { RequestMetrics } from "../../src/http/metrics.js";

test("requests are counted by status and by upper bound of their duration", async () => {
  const registry = new Registry();
  const metrics = new RequestMetrics(registry);
  for (const [status, seconds] of [
    [200, 0.001],
    [200, 0.005],
    [200, 0.006],
    [500, 10],
    [200, 60],
  ] as const)
    metrics.count("GET", "/a", status, seconds);
  metrics.count("POST", "/a", 200, 0.3);
  const lines = (await registry.metrics()).split("\n");
  expect(lines.filter((line) => line.includes('method="GET"'))).toEqual([
    'http_requests_total{method="GET",route="/a",status="200"} 4',
    'http_requests_total{method="GET",route="/a",status="500"} 1',
    'http_request_duration_seconds_bucket{le="0.005",method="GET",route="/a"} 2',
    'http_request_duration_seconds_bucket{le="0.025",method="GET",route="/a"} 3',
    'http_request_duration_seconds_bucket{le="0.1",method="GET",route="/a"} 3',
    'http_request_duration_seconds_bucket{le="0.5",method="GET",route="/a"} 3',
    'http_request_duration_seconds_bucket{le="2.5",method="GET",route="/a"} 3',
    'http_request_duration_seconds_bucket{le="10",method="GET",route="/a"} 4',
    'http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/a"} 5',
    'http_request_duration_seconds_sum{method="GET",route="/a"} 70.012',
    'http_request_duration_seconds_count{method="GET",route="/a"} 5',
  ]);
  expect(lines).toContain('http_request_duration_seconds_count{method="POST",route="/a"} 1');
});
