import { once } from "node:events";
import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { Admission, LOOPBACK_RESERVE } from "../../src/http/connections.js";
import { eventually } from "../support/eventually.js";
import { dial, open, startServer } from "./harness.js";

interface Given {
  address: string;
  hasAsked: boolean;
  isIdle: boolean;
}

const guest = (address: string, change: Partial<Given> = {}): Given => ({
  address,
  hasAsked: false,
  isIdle: true,
  ...change,
});
const BUSY = { hasAsked: true, isIdle: false };

describe("of too many connections", () => {
  const four = () => new Admission<Given>({ connectionsMax: 4, hasShares: false });

  test("the oldest that has sent no request goes first, then the oldest that waits for nothing", () => {
    const admission = four();
    const kept = guest("1.1.1.1", BUSY);
    const idle = guest("1.1.1.1", { hasAsked: true });
    const silent = [guest("1.1.1.1"), guest("1.1.1.1")];
    for (const one of [kept, idle, ...silent]) expect(admission.admit(one)).toBeUndefined();
    const later = [guest("1.1.1.1", BUSY), guest("1.1.1.1", BUSY), guest("1.1.1.1", BUSY)];
    expect(later.map((one) => admission.admit(one))).toEqual([...silent, idle]);
    const last = guest("1.1.1.1");
    expect(admission.admit(last)).toBe(last);
  });

  test("some are kept for this machine, where all others wait for a response", () => {
    const admission = four();
    for (let n = 0; n < 4; n += 1) admission.admit(guest("1.1.1.1", BUSY));
    for (let n = 0; n < LOOPBACK_RESERVE; n += 1)
      expect(admission.admit(guest(n % 2 ? "::1" : "::ffff:127.0.0.1", BUSY))).toBeUndefined();
    const beyond = guest("127.0.0.1", BUSY);
    expect(admission.admit(beyond)).toBe(beyond);
  });
});

describe("one address", () => {
  test.each([
    ["10.0.0.1", "::ffff:10.0.0.1", "10.0.0.2"],
    ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:3::1"],
    ["2001:db8::1", "2001:db8:0:0:9::1", "2001:db8:0:1::1"],
  ])("has half of the connections: %s with %s, and not %s", (one, same, other) => {
    const admission = new Admission<Given>({ connectionsMax: 8, hasShares: true });
    for (let n = 0; n < 4; n += 1) expect(admission.admit(guest(n % 2 ? one : same, BUSY))).toBeUndefined();
    const fifth = guest(same, BUSY);
    expect(admission.admit(fifth)).toBe(fifth);
    expect(admission.admit(guest(other, BUSY))).toBeUndefined();
  });

  test("loses its own oldest silent connection to its next one", () => {
    const admission = new Admission<Given>({ connectionsMax: 4, hasShares: true });
    const silentOther = guest("10.0.0.2");
    const silent = guest("10.0.0.1");
    for (const one of [silentOther, guest("10.0.0.1", BUSY), silent]) admission.admit(one);
    expect(admission.admit(guest("10.0.0.1"))).toBe(silent);
  });

  test("has no share where a proxy has them all, or where it is this machine", () => {
    const shared = new Admission<Given>({ connectionsMax: 4, hasShares: false });
    const own = new Admission<Given>({ connectionsMax: 4, hasShares: true });
    for (let n = 0; n < 4; n += 1) {
      expect(shared.admit(guest("10.0.0.1", BUSY))).toBeUndefined();
      expect(own.admit(guest("127.0.0.1", BUSY))).toBeUndefined();
    }
  });
});

describe("a server with more connections than it takes", () => {
  const opened: Socket[] = [];
  async function silentSockets(url: string, count: number): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => dial(url));
    opened.push(...sockets);
    onTestFinished(() => {
      for (const socket of opened.splice(0)) socket.destroy();
    });
    for (const socket of sockets) socket.on("error", () => {});
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return sockets;
  }

  test("answers everyone who asks, however many are silent", async () => {
    const { url, lines } = await startServer({ connectionsMax: 20 });
    const silent = await silentSockets(url, 60);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    for (let asked = 0; asked < 10; asked += 1) {
      const [response] = await once(request(`${url}/healthz`, { agent }).end(), "response");
      expect(response.statusCode).toBe(200);
      await text(response);
      await silentSockets(url, 5);
    }
    await eventually("the oldest are closed", () => silent.slice(0, 40).every(({ closed }) => closed));
    const told = lines.filter(({ msg }) => String(msg).startsWith("connections"));
    expect(told).toMatchObject([{ max_connections: 20 }]);
  });

  test("closes the new one unanswered where all others wait, and takes the next when one has ended", async () => {
    const waiting: (() => void)[] = [];
    const { url, lines } = await startServer({
      connectionsMax: 2,
      files: async () => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return open("late");
      },
    });
    const busy: Promise<Response>[] = [];
    while (busy.length < 2 + LOOPBACK_RESERVE) {
      busy.push(fetch(`${url}/files/a`));
      await eventually("it waits", () => waiting.length === busy.length);
    }
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(lines.map(({ msg }) => msg)).toContain("connections refused");
    for (const answer of waiting) answer();
    for (const answer of await Promise.all(busy)) expect(await answer.text()).toBe("late");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
