import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openAgent } from "../../../../src/platform/outgoing-agent.js";
import { createFilePut } from "../../../../src/providers/publish.js";
import { startHttpServer } from "../../../support/http-server.js";
import { createManualClock } from "../../../support/manual-clock.js";
import { never } from "../../../support/render-tasks.js";

async function openHost(status: number) {
  const requests: { request: IncomingMessage; body: Buffer }[] = [];
  const { origin } = await startHttpServer(async (request, response) => {
    requests.push({ request, body: await buffer(request) });
    response.writeHead(status).end();
  });
  const dispatcher = openAgent({});
  onTestFinished(() => dispatcher.destroy());
  const put = (root: string) =>
    createFilePut({ dispatcher, clock: createManualClock(), fileHosts: ["fal.media"], root: new URL(root) });
  return { requests, origin, put };
}

const file = { mime: "image/png", bytes: Buffer.from("picture") };

test("bytes are put with their type and without a key", async () => {
  const { requests, origin, put } = await openHost(200);
  await put(origin)(`${origin}/files/a?sig=1`, file, never);
  expect(requests.map(({ request: { method, url }, body }) => [method, url, `${body}`])).toEqual([
    ["PUT", "/files/a?sig=1", "picture"],
  ]);
  expect(requests[0]?.request.headers).toMatchObject({ "content-type": "image/png", "content-length": "7" });
  expect(requests[0]?.request.headers.authorization).toBeUndefined();
});

test("bytes go to no host that the service does not list", async () => {
  const { requests, origin, put } = await openHost(200);
  await expect(put("https://proxy.example")(`${origin}/a`, file, never)).rejects.toThrow("foreign host");
  await expect(put("https://proxy.example")("nowhere", file, never)).rejects.toThrow("foreign host");
  expect(requests).toHaveLength(0);
});

test("a refused upload is told without its address", async () => {
  const { origin, put } = await openHost(403);
  await expect(put(origin)(`${origin}/a?sig=secret`, file, never)).rejects.toThrow(/^upload refused: 403$/);
});
