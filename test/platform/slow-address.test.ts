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
