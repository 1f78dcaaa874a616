import { expect, test } from "vitest";
import { send, upstreams } from "./client.js";

const KEY = "Key fal-key";

test("another process reads the ledger, moves time and orders faults over HTTP", async () => {
  const stand = await upstreams();
  const control = (method: string, path: string, body?: object) =>
    send(method, `${stand.url}/control/${path}`, undefined, body);
  const url = `${stand.url}/fal-ai/z-image/turbo`;

  await control("POST", "faults", { fault: "rate-limited", service: "fal", times: 2 });
  expect((await send("POST", url, KEY, { prompt: "x" })).status).toBe(429);
  await control("DELETE", "faults");
  expect((await send("POST", url, KEY, { prompt: "x", colour: "red" })).status).toBe(200);
  expect((await control("GET", "ledger")).body).toMatchObject([{ service: "fal", body: { prompt: "x" } }]);
  expect((await control("GET", "tasks")).body).toMatchObject([{ phase: "queued" }]);
  await control("POST", "advance", { ms: 9000 });
  expect((await control("GET", "tasks")).body).toMatchObject([{ phase: "ended" }]);
  expect((await control("DELETE", "breaches")).body).toHaveLength(1);
  expect((await control("GET", "breaches")).body).toEqual([]);
  expect((await control("GET", "calls")).body).toMatchObject([
    { kind: "submit", status: 429 },
    { kind: "submit", status: 200, taskId: stand.tasks[0]?.id },
  ]);

  await control("POST", "account", { service: "fal", state: "wrong-key" });
  expect((await send("POST", url, KEY, { prompt: "x" })).status).toBe(401);
  await control("POST", "account", { service: "fal", state: "good" });
  await control("POST", "forget", { service: "fal" });
  expect(stand.tasks[0]?.isForgotten).toBe(true);
  expect((await control("POST", "faults", { fault: "none" })).status).toBe(400);
  expect((await control("GET", "nothing")).status).toBe(404);
});

test("a service that is down takes no connection, and keeps its tasks and its address", async () => {
  const stand = await upstreams({ hasOwnAddresses: true });
  const { FAL_API_ROOT: fal = "", KIE_API_ROOT: kie = "" } = stand.environment();
  expect(new Set([fal, kie, stand.url]).size).toBe(3);
  const submit = () => send("POST", `${fal}/fal-ai/z-image/turbo`, KEY, { prompt: "x" });
  const { body } = await submit();
  stand.control("POST", "/control/down", { service: "fal", isDown: true });
  await expect.poll(() => submit().catch((error: Error) => String(error.cause))).toContain("ECONNREFUSED");
  expect((await send("GET", `${kie}/control/tasks`, undefined)).body).toHaveLength(1);
  stand.control("POST", "/control/down", { service: "fal", isDown: false });
  const status = (body as { status_url: string }).status_url;
  expect(status.startsWith(fal)).toBe(true);
  await expect
    .poll(() =>
      send("GET", status, KEY).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(202);
});
