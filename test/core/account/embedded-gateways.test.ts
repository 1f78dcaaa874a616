import { mkdir, rm } from "node:fs/promises";
import { expect, test } from "vitest";
import type { JobId } from "../../../src/contract/job.js";
import type { Gateway } from "../../../src/ports/gateway.js";
import { GenerationError } from "../../../src/workers/generation-error.js";
import { openTestCore, order } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { testGatewayContract } from "../../support/gateway-contract.js";
import { createStubProvider, type HeldTask } from "../../support/stub-provider.js";

testGatewayContract("the embedded service", { isElsewhere: false }, async ({ refundsFailedJobs }) => {
  const provider = createStubProvider();
  provider.holds = true;
  const world = openTestCore({ provider, settings: { refundFailedJobs: refundsFailedJobs } });
  await world.core.start();
  async function end(gateway: Gateway, id: JobId, how: (task: HeldTask) => void): Promise<void> {
    const number = Number(String(id).replace("music_", ""));
    const task = await eventually(`the run of job ${id}`, () =>
      provider.held.find(({ task: { jobId } }) => jobId === number),
    );
    how(task);
    await world.ended(gateway, id);
  }
  return {
    open: (userId, kopecks) => world.person(userId, kopecks),
    finish: (gateway, id) => end(gateway, id, (task) => task.finish()),
    fail: (gateway, id) =>
      end(gateway, id, (task) => task.fail(new GenerationError("provider", "The provider failed."))),
    async loseFiles() {
      await rm(world.mediaDirectory, { recursive: true });
      await mkdir(world.mediaDirectory);
    },
    async close() {
      for (const { fail } of [...provider.held]) fail(new Error("closed"));
      await world.close();
    },
  };
});

test("the files of another account's job are not found, whoever shows the job", async () => {
  const world = openTestCore();
  const ann = await world.begun(100_00);
  const { job_id } = await order(ann, "one");
  const job = await world.ended(ann, job_id);
  expect(await ann.results(job)).toHaveLength(1);
  const bob = await world.person(2);
  await expect(bob.results(job)).rejects.toMatchObject({ code: "job_not_found" });
});
