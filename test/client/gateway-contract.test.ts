import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createRemoteService } from "../../src/client/remote-service.js";
import { isFinished, type JobId } from "../../src/contract/job.js";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { Database } from "../../src/database/database.js";
import { nodeMediaDisk } from "../../src/media/disk.js";
import { openLocalMedia, PublishedReferences } from "../../src/media/reference-store.js";
import { systemClock } from "../../src/platform/clock.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import { type Gateway, NOT_CONNECTED } from "../../src/ports/gateway.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { openDatabase } from "../../src/restore-data.js";
import { GenerationError } from "../../src/workers/generation-error.js";
import { withTables } from "../support/empty-database.js";
import { eventually } from "../support/eventually.js";
import { testGatewayContract } from "../support/gateway-contract.js";
import { groundOf } from "../support/ground.js";
import { silentLogger } from "../support/log.js";
import { newFolder } from "../support/new-folder.js";
import { startRemoteCore } from "../support/remote-core.js";
import { startResetProxy } from "../support/reset-proxy.js";
import { type HeldTask, makeFiles } from "../support/stub-provider.js";

/** A front-end that spends the account of this key, with a database of its own. */
async function openFrontEnd(baseUrl: string, apiKey: string) {
  const home = newFolder();
  const database = Database.open({ file: withTables(join(home, "a.db")), role: "service" });
  const shared = { database, clock: systemClock, ids: systemIds, logger: silentLogger() };
  const service = createRemoteService({
    notices: new NoticeQueue(),
    ...shared,
    baseUrl,
    apiKey,
    pollIntervalMs: 100,
    references: new PublishedReferences(
      groundOf(shared),
      openLocalMedia(nodeMediaDisk, home, systemIds, noFailPoint),
      "https://front.example",
      "secret of the front-end",
    ),
  });
  await service.start();
  const gateway = await service.gateways.of({ id: 7, name: "Ann" });
  if (gateway === NOT_CONNECTED) throw new Error("not connected");
  const close = () => service.stop().then(() => database.close());
  return { gateway, close };
}

testGatewayContract(
  "the client of this project's server",
  { isElsewhere: true },
  async ({ refundsFailedJobs }) => {
    const core = await startRemoteCore(0, { environment: { REFUND_FAILED_JOBS: String(refundsFailedJobs) } });
    const { provider, dataDir } = core;
    Object.assign(provider, { holds: true, make: makeFiles });
    const proxy = await startResetProxy(core.url);
    const database = openDatabase({ dataDir }, "tool");
    const admin = createAdminService(database, systemClock);
    const frontEnds: Awaited<ReturnType<typeof openFrontEnd>>[] = [];
    async function end(gateway: Gateway, id: JobId, how: (task: HeldTask) => void): Promise<void> {
      const number = Number(String(id).replace("music_", ""));
      const isOf = ({ task }: HeldTask) => task.jobId === number;
      how(await eventually(`the run of job ${id}`, () => provider.held.find(isOf)));
      await eventually(`the end of job ${id}`, async () => isFinished(await gateway.job(id)));
    }
    return {
      async open(userId, kopecks = 0) {
        const { id } = await admin.createAccount(`user ${userId}`);
        const { key } = await admin.createKey(id, null);
        if (kopecks > 0) await admin.credit(id, asKopecks(kopecks), null);
        const frontEnd = await openFrontEnd(proxy.url, key);
        frontEnds.push(frontEnd);
        return frontEnd.gateway;
      },
      finish: (gateway, id) => end(gateway, id, (task) => task.finish()),
      fail: (gateway, id) =>
        end(gateway, id, (task) => task.fail(new GenerationError("provider", "The provider failed."))),
      async loseFiles() {
        await rm(join(dataDir, "media"), { recursive: true });
        await mkdir(join(dataDir, "media"));
      },
      loseAnswer() {
        proxy.losing = 1;
      },
      async close() {
        for (const { close } of frontEnds) await close();
        for (const { fail } of [...provider.held]) fail(new Error("closed"));
        await core.stop();
        await database.close();
      },
    };
  },
);
