import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openAgent } from "../../src/platform/outgoing-agent.js";
import { startHttpServer } from "../support/http-server.js";

/** Nothing listens at these addresses of the loopback net, or they lead nowhere. */
const DEAD = ["::1", "127.0.0.9", "240.0.0.1"];

test.each([
  ["first", [...DEAD, "127.0.0.1"]],
  ["last", ["127.0.0.1", ...DEAD]],
])(
  "an address that answers is reached where dead ones stand beside it, %s or not",
  async (_place, addresses) => {
    const { port } = await startHttpServer((_request, response) => response.end("here"));
    const agent = openAgent({ addresses, keepAliveMs: 0 });
    onTestFinished(() => agent.destroy());
    const answer = await agent.request({
      origin: `http://service.invalid:${port}`,
      path: "/",
      method: "GET",
    });
    expect(await answer.body.text()).toBe("here");
  },
);

test("a name of which no address answers ends with the first one's error", async () => {
  const agent = openAgent({ addresses: ["127.0.0.9", "127.0.0.8"], connectTimeoutMs: 5000 });
  onTestFinished(() => agent.destroy());
  const asked = agent.request({ origin: "http://service.invalid:9", path: "/", method: "GET" });
  await expect(asked).rejects.toThrow(/ECONNREFUSED/);
});

/** Holds an address whose queue of connections is full, so that a further one hears nothing. */
const MUTE = `require("node:net").createServer().listen({ port: PORT, host: "127.0.0.9", backlog: 1 }, () => {
  require("node:fs").writeSync(1, "up");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
})`;

test("an address that says nothing keeps the call from no other", async () => {
  const { port } = await startHttpServer((_request, response) => response.end("here"));
  const mute = spawn(process.execPath, ["-e", MUTE.replace("PORT", String(port))]);
  onTestFinished(() => void mute.kill("SIGKILL"));
  await once(mute.stdout, "data");
  for (let waiting = 0; waiting < 2; waiting += 1) {
    const socket = connect(port, "127.0.0.9").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
  }
  const agent = openAgent({ addresses: ["127.0.0.9", "127.0.0.1"], keepAliveMs: 0 });
  onTestFinished(() => agent.destroy());
  const origin = `http://service.invalid:${port}`;
  const answer = await agent.request({ origin, path: "/", method: "GET" });
  expect(await answer.body.text()).toBe("here");
});
