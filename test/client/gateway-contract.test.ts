import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JobId } from "../../src/contract/job.js";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import type { Gateway } from "../../src/ports/gateway.js";
import { openDatabase } from "../../src/restore-data.js";
import { GenerationError } from "../../src/workers/generation-error.js";
import { clientPerUser, jobEnded, openClientGateways } from "../support/client-gateways.js";
import { eventually } from "../support/eventually.js";
import { OWN_CATALOGUE_ELSEWHERE, testGatewayContract } from "../support/gateway-contract.js";
import { startRemoteCore } from "../support/remote-core.js";
import { startResetProxy } from "../support/reset-proxy.js";
import { STAND_IN_CATALOGUE, startStandIn } from "../support/stand-in-service.js";
import { type HeldTask, makeFiles } from "../support/stub-provider.js";

/** No service elsewhere pays lost files back by itself. */
const ELSEWHERE = { refundsLostFiles: false, forgetsAcceptances: true };

const OWN_SERVER = {
  ...ELSEWHERE,
  knowsRefund: true,
  repeatsLostAnswers: true,
  catalogue: OWN_CATALOGUE_ELSEWHERE,
};
testGatewayContract("the client of this project's server", OWN_SERVER, async ({ refundsFailedJobs }) => {
  const core = await startRemoteCore(0, { environment: { REFUND_FAILED_JOBS: String(refundsFailedJobs) } });
  const { provider, dataDir } = core;
  Object.assign(provider, { holds: true, make: makeFiles });
  const proxy = await startResetProxy(core.url, false);
  const database = openDatabase({ dataDir }, "tool");
  const admin = createAdminService(database, systemClock);
  const clients = openClientGateways();
  async function end(gateway: Gateway, id: JobId, how: (task: HeldTask) => void): Promise<void> {
    const number = Number(String(id).replace("music_", ""));
    const isOf = ({ task }: HeldTask) => task.jobId === number;
    how(await eventually(`the run of job ${id}`, () => provider.held.find(isOf)));
    await jobEnded(gateway, id);
  }
  return {
    open: clientPerUser(clients, proxy.url, async (userId) => {
      const { id } = await admin.createAccount(`user ${userId}`);
      const { key } = await admin.createKey(id, null);
      return { key, credit: async (kopecks) => void (await admin.credit(id, asKopecks(kopecks), null)) };
    }),
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
      await clients.close();
      for (const { fail } of [...provider.held]) fail(new Error("closed"));
      await core.stop();
      await database.close();
    },
  };
});

const STAND_IN = { ...ELSEWHERE, knowsRefund: false, catalogue: STAND_IN_CATALOGUE };
testGatewayContract(
  "the client of a service with another catalogue",
  STAND_IN,
  async ({ refundsFailedJobs }) => {
    const service = await startStandIn(refundsFailedJobs);
    const clients = openClientGateways();
    return {
      open: clientPerUser(clients, service.url, async (userId) => {
        const key = `key-of-${userId}`;
        service.credit(key, 0);
        return { key, credit: async (kopecks) => service.credit(key, kopecks) };
      }),
      finish: async (_gateway, id) => service.finish(id),
      fail: async (_gateway, id) => service.fail(id),
      loseFiles: async () => service.loseFiles(),
      loseAnswer: () => service.loseAnswer(),
      async close() {
        await clients.close();
        await service.close();
      },
    };
  },
);
