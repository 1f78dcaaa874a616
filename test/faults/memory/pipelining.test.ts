import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { ChildService } from "../../support/child-service.js";
import { eventually } from "../../support/eventually.js";
import { newFolder } from "../../support/new-folder.js";
import { forgetPeak, residentMemory } from "../../support/processes.js";

const REQUEST = "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n";
const PIPELINED = 2000;
/** Requests of others while the attack goes on. */
const PROBES = 10;
/** How far an attack may raise the memory of the process, in MB. */
const GROWTH_MAX_MB = 250;
/** How much may stay in use. What is free again may stay with the process: whether glibc returns it is luck. */
const REMAINDER_MAX_MB = 20;
/** The same for the peak of as many connections as are allowed. */
const ALL_CONNECTIONS_MAX_MB = 400;

async function startService() {
  const directory = newFolder();
  const service = new ChildService({ DATA_DIR: directory });
  onTestFinished(() => service.kill());
  const url = new URL(await service.ready());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  /** A request of somebody else, on a connection of its own that stays open. */
  async function probe(): Promise<number | undefined> {
    const [answer] = (await once(request(new URL("/v1/health", url), { agent }).end(), "response")) as [
      IncomingMessage,
    ];
    await text(answer);
    return answer.statusCode;
  }
  return { service, url, probe };
}

/** Opens connections that pipeline, and keeps them busy until `end`. */
function attack(url: URL, connections: number, readsAnswers: boolean, requests = PIPELINED) {
  const bytesSent = REQUEST.repeat(requests);
  const bytes = { received: 0 };
  const sockets = Array.from({ length: connections }, () => {
    const socket: Socket = connect(Number(url.port), url.hostname);
    socket.on("error", () => {});
    socket.on("connect", () => socket.write(bytesSent));
    if (readsAnswers)
      socket.on("data", (chunk) => {
        bytes.received += chunk.length;
      });
    else socket.pause();
    return socket;
  });
  onTestFinished(() => end());
  function end() {
    for (const socket of sockets) socket.destroy();
  }
  return { sockets, bytes, end };
}

test.each([
  [1000, true],
  [1900, false],
])(
  "%i connections that pipeline 2000 requests each (reading: %s) use bounded memory, and others are answered",
  async (connections, readsAnswers) => {
    const { service, url, probe } = await startService();
    expect(await probe()).toBe(200);
    forgetPeak(service.pid);
    const before = residentMemory(service.pid).now;
    const usedBefore = await service.collectGarbage();
    const { sockets, end } = attack(url, connections, readsAnswers);
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (let probed = 0; probed < PROBES; probed += 1) expect(await probe()).toBe(200);
    const { peak } = residentMemory(service.pid);
    end();
    expect(peak - before).toBeLessThan(GROWTH_MAX_MB);
    await eventually("the memory to be free", async () => {
      expect(await probe()).toBe(200);
      return (await service.collectGarbage()) - usedBefore < REMAINDER_MAX_MB;
    });
  },
);

test("connections beyond MAX_CONNECTIONS are closed unanswered, and earlier ones are answered", async () => {
  const { service, url, probe } = await startService();
  expect(await probe()).toBe(200);
  const before = residentMemory(service.pid).now;
  const { sockets, bytes, end } = attack(url, 4000, true, 1);
  const refused = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  await Promise.race(refused);
  for (let probed = 0; probed < PROBES; probed += 1) expect(await probe()).toBe(200);
  await eventually("2000 refusals", () => sockets.filter(({ destroyed }) => destroyed).length >= 2000);
  expect(bytes.received).toBeGreaterThan(0);
  expect(residentMemory(service.pid).peak - before).toBeLessThan(ALL_CONNECTIONS_MAX_MB);
  end();
  await Promise.all(refused);
  await eventually("a new connection", async () => (await fetch(new URL("/v1/health", url))).status === 200);
});
