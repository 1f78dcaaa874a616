import { expect, test } from "vitest";
import { paused, throttled, UNREACHABLE, UP } from "../support/provider-states.js";
import { impatientClock, startServer } from "./harness.js";

async function readiness(health: Parameters<typeof startServer>[0]) {
  const { url } = await startServer(health);
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
}

test("/healthz answers while the process is alive, whatever the state of its parts", async () => {
  const { url } = await startServer({ health: { database: async () => false } });
  const answer = await fetch(`${url}/healthz`);
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
  expect((await fetch(`${url}/healthz`, { method: "HEAD" })).status).toBe(200);
});

test("/readyz is 503 and names every failing part", async () => {
  const broken = {
    database: () => Promise.reject(new Error("disk full")),
    core: async () => true,
    storage: async () => false,
    bot: async () => false,
  };
  expect(await readiness({ health: broken })).toEqual([
    503,
    { ok: false, error: "not_ready", not_ready: ["database", "storage", "bot"] },
  ]);
});

test("/readyz does not wait for a database or a disk that hangs", async () => {
  const { url, server } = await startServer({
    clock: impatientClock,
    health: {
      database: () => new Promise(() => {}),
      storage: () => new Promise(() => {}),
    },
  });
  const answer = await fetch(`${url}/readyz`);
  expect([answer.status, await answer.json()]).toMatchObject([503, { not_ready: ["database", "storage"] }]);
  await server.close();
});

test("/readyz stays 200 while providers are not up, and names each of them by its state", async () => {
  const upstreams = [
    { name: "fal", state: throttled() },
    { name: "kie", state: paused("locked") },
    { name: "comfyui", state: UNREACHABLE },
    { name: "polza", state: paused("no_credit") },
    { name: "replicate", state: UP },
  ];
  const states = { throttled: ["fal"], paused: ["kie", "polza"], unreachable: ["comfyui"] };
  expect(await readiness({ upstreams })).toEqual([200, { ok: true, ...states }]);
  expect(await readiness({ upstreams, health: { storage: async () => false } })).toEqual([
    503,
    { ok: false, error: "not_ready", not_ready: ["storage"], ...states },
  ]);
});
