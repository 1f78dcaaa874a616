import { expect, onTestFinished } from "vitest";
import { createRemoteService } from "../../../src/client/remote-service.js";
import type { JobId } from "../../../src/contract/job.js";
import { table } from "../../../src/database/table.js";
import { createTextCipher } from "../../../src/platform/text-cipher.js";
import { type Gateway, NOT_CONNECTED } from "../../../src/ports/gateway.js";
import { NoticeQueue } from "../../../src/ports/operator-notices.js";
import type { RefusedKey } from "../../../src/service/accounts.js";
import { eventually } from "../../support/eventually.js";
import { type Behaviour, startFaultyService } from "../../support/faulty-service.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";
import { openDatabase } from "../../support/test-database.js";
import { openKnownTo, UnderWay } from "../../support/under-way.js";
import { MODEL, NO_REFERENCES } from "../harness.js";

export const ANN = { id: 7, name: "Ann" };
export const BORIS = { id: 8, name: "Boris" };
export const ENCRYPTION_KEY = Buffer.alloc(32, 1);

const submissions = table("remote_submission");

/** A service with an account for each name in `keys`, and the front-end's view of it on a clock that stands still. */
export async function openWorld() {
  const service = await startFaultyService();
  const owners = new Map<string, string>();
  const world = {
    /** Accounts by the keys that work. */
    keys: new Map([
      ["key-of-first-1", "first"],
      ["key-of-second-1", "second"],
    ]),
    /** How many calls with a key that works are refused all the same. */
    refusals: 0,
    onPost: undefined as Behaviour | undefined,
    /** Open orders, by account. */
    open: new Map<number, number>(),
    /** Jobs of the orders that were submitted through `gatewayOf`, by order. */
    jobs: new Map<string, JobId>(),
    told: [] as RefusedKey[],
    tell: async (key: RefusedKey): Promise<void> => void world.told.push(key),
  };
  service.behave = (response, request, body) => {
    const path = (request.url ?? "").replace("/api/v1", "");
    const account = world.keys.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    if (path === "/health") return service.serve(response, request, body);
    if (!account || world.refusals > 0) {
      world.refusals = Math.max(0, world.refusals - 1);
      return service.answer(response, 401, { ok: false, error: "invalid_api_key" });
    }
    if (path === "/models") return service.answer(response, 200, { ok: true, models: [MODEL] });
    if (request.method === "POST") {
      owners.set(String(1000 + service.jobs.size), account);
      return (world.onPost ?? service.serve)(response, request, body);
    }
    const id = path.replace("/generations/", "");
    if (owners.get(id) === account) {
      const job = { job_id: Number(id), type: "image", status: "generating", cost_rub: 10, result: null };
      return service.answer(response, 200, { ok: true, job });
    }
    service.serve(response, request, body);
  };
  const clock = createManualClock();
  const underWay = new UnderWay();
  const { logger, lines } = recordingLogger("debug");
  const database = openDatabase();

  async function restart(encryptionKeys: readonly Uint8Array[] = [ENCRYPTION_KEY]) {
    const remote = createRemoteService({
      notices: new NoticeQueue(),
      baseUrl: service.url,
      ownKeys: {
        cipher: createTextCipher(encryptionKeys),
        countOpenOrders: ({ id }: { id: number }) => world.open.get(id) ?? 0,
        lastJobOf: (account_id: number) =>
          submissions
            .all(database, { account_id }, { orderBy: ["sent_at desc"] })
            .map(({ order_id }) => world.jobs.get(order_id))
            .find((id) => id !== undefined),
      },
      database,
      references: NO_REFERENCES,
      pollIntervalMs: 100,
      open: openKnownTo(underWay),
      clock,
      logger,
    });
    onTestFinished(() => remote.stop());
    await remote.start();
    const { accounts } = remote;
    if (accounts.kind !== "connected") throw new Error("nobody can connect");
    const { connections } = accounts;
    connections.onKeyRefused((key) => world.tell(key));
    const gatewayOf = async (user: { id: number; name: string }, orderId?: string): Promise<Gateway> => {
      const { gateways } = remote;
      const gateway = await (orderId === undefined ? gateways.of(user) : gateways.ofOrder(orderId, user));
      if (gateway === NOT_CONNECTED) throw new Error("not connected");
      const submit = gateway.submit.bind(gateway);
      gateway.submit = async (request, order) => {
        const accepted = await submit(request, order);
        world.jobs.set(order.id, accepted.job_id);
        return accepted;
      };
      return gateway;
    };
    /** A call of Ann is refused, and so is the one that tries her key again. */
    const refused = async () => {
      await expect((await gatewayOf(ANN)).balance()).rejects.toMatchObject({ reason: "account" });
      await clock.advance(10_000);
      await eventually("she is told", () => world.told.length > 0);
    };
    return { ...remote, accounts, connections, gatewayOf, refused };
  }
  /** Moves time on; every call has its answer before the next timer fires. */
  const pass = (ms: number) => clock.advance(ms, () => underWay.settled());
  return { service, world, database, clock, pass, lines, restart, ...(await restart()) };
}
