import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRemoteService } from "../../src/client/remote-service.js";
import { Database } from "../../src/database/database.js";
import { nodeMediaDisk } from "../../src/media/disk.js";
import { openLocalMedia, PublishedReferences } from "../../src/media/reference-store.js";
import { systemClock } from "../../src/platform/clock.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import { type Gateway, NOT_CONNECTED } from "../../src/ports/gateway.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { withTables } from "./empty-database.js";
import { eventually } from "./eventually.js";
import type { GatewaySubject } from "./gateway-subject.js";
import { groundOf } from "./ground.js";
import { recordingLogger } from "./log.js";

export interface ClientGateways {
  /** The gateway of a front-end that spends the account of this key. */
  open(url: string, key: string): Promise<Gateway>;
  close(): Promise<void>;
}

/** Front-ends of services elsewhere, each with a database of its own. */
export function openClientGateways(): ClientGateways {
  const directory = mkdtempSync(join(tmpdir(), "atelier-clients-"));
  const closers: (() => Promise<void>)[] = [];
  return {
    async open(url, key) {
      const home = mkdtempSync(join(directory, "client-"));
      const database = Database.open({ file: withTables(join(home, "a.db")), role: "service" });
      const shared = { database, clock: systemClock, ids: systemIds, logger: recordingLogger("warn").logger };
      const media = { disk: nodeMediaDisk, directory: home, ids: systemIds, failPoint: noFailPoint };
      const service = createRemoteService({
        notices: new NoticeQueue(),
        ...shared,
        baseUrl: url,
        apiKey: key,
        pollIntervalMs: 100,
        references: new PublishedReferences(
          groundOf(shared),
          openLocalMedia(media.disk, media.directory, media.ids, media.failPoint),
          "https://front.example",
          "secret of the front-end",
        ),
      });
      await service.start();
      closers.push(async () => {
        await service.stop();
        await database.close();
      });
      const gateway = await service.gateways.of({ id: 7, name: "Ann" });
      if (gateway === NOT_CONNECTED) throw new Error("not connected");
      return gateway;
    },
    async close() {
      await Promise.all(closers.splice(0).map((close) => close()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The `open` of a subject whose accounts `makeAccount` makes: the same gateway for the same user. */
export function clientPerUser(
  clients: ClientGateways,
  url: string,
  makeAccount: (userId: number) => Promise<{ key: string; credit: (kopecks: number) => Promise<void> }>,
): GatewaySubject["open"] {
  const known = new Map<number, Awaited<ReturnType<typeof connect>>>();
  const connect = async (userId: number) => {
    const { key, credit } = await makeAccount(userId);
    return { gateway: await clients.open(url, key), credit };
  };
  return async (userId, kopecks = 0) => {
    const user = known.get(userId) ?? (await connect(userId));
    known.set(userId, user);
    if (kopecks > 0) await user.credit(kopecks);
    return user.gateway;
  };
}

export async function jobEnded(gateway: Gateway, id: string | number): Promise<void> {
  await eventually(`the end of job ${id}`, async () => {
    const { status } = await gateway.job(id);
    return status === "done" || status === "error";
  });
}
