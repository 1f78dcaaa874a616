import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ApiAccount, installAccounts } from "../support/api-accounts.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { familyOf } from "../support/processes.js";

const RUBLES = 1000;
const PATIENCE_MS = 90_000;

/** A picture that takes seconds, so that its renderer can be killed meanwhile. */
const REQUEST = {
  type: "image",
  model_key: "gpt-image-2-5",
  prompt: "a red fox in a forest",
  resolution: "4K",
  generation_mode: "quality",
};

test.skipIf(process.platform !== "linux")(
  "a killed renderer process fails no job; a job whose second one is killed too is refunded (pids are from /proc)",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "atelier-killed-"));
    const { keys, balanceOf } = await installAccounts(directory, 1, RUBLES);
    const service = new ChildService({ DATA_DIR: directory, RUNNER_CONCURRENCY: "1", TEST_RENDERER: "1" });
    onTestFinished(() => service.kill());
    const account = new ApiAccount(await service.ready(), keys[0] ?? "");

    const killed = new Set<number>();
    /** Kills the renderer of a job: the first one that was not killed yet, once the job is at work. */
    const killRenderer = async (job: unknown) => {
      await eventually("a job at work", async () => (await account.job(job)).status === "generating");
      const pid = await eventually("a renderer", () =>
        familyOf(service.pid).find((id) => id !== service.pid && !killed.has(id)),
      );
      killed.add(pid);
      process.kill(pid, "SIGKILL");
    };

    const once = await account.post(REQUEST);
    await killRenderer(once.job_id);
    expect(await account.ended(once.job_id, PATIENCE_MS)).toMatchObject({ status: "done" });

    const twice = await account.post(REQUEST);
    await killRenderer(twice.job_id);
    await killRenderer(twice.job_id);
    expect(await account.ended(twice.job_id, PATIENCE_MS)).toMatchObject({
      status: "error",
      error: "The generation failed.",
    });
    expect(killed.size).toBe(3);
    expect(balanceOf(1)).toBe(RUBLES - Number(once.cost_rub));
  },
);
