import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keptBackups } from "../../src/backup/swap.js";
import { restoreBackup } from "../../src/restore-data.js";
import { openAdmin } from "../support/accounts.js";
import { Chatter } from "../support/chatter.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { newFolder } from "../support/new-folder.js";
import { ADMIN, ANN, startSandbox, TOKEN } from "../support/service.js";
import { readRows } from "../support/upstream-crash-verdict.js";
import { openCrashWorld } from "../support/upstream-crash-world.js";

const END_MS = 60_000;
const LATER_JOBS = 10;
const TIMEOUT_MS = 240_000;

async function openTelegram() {
  const sandbox = await startSandbox();
  return { sandbox, environment: { BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: sandbox.url } };
}

const hasEnded = ({ status }: { status: string }) => status === "done" || status === "error";

test(
  "a service that is lost under load goes on from its backup on another disk, and pays for nothing twice",
  async () => {
    const world = await openCrashWorld();
    const { sandbox, environment } = await openTelegram();
    const directory = newFolder();
    await world.account.ended(await world.post("before all"), END_MS);
    // The first backup begins with the start, and is made while orders come.
    await world.restart("fal", { BACKUP_DIR: directory, BACKUP_MEDIA: "true" });
    let posts = 0;
    const load = async () => {
      for (; keptBackups(directory, Date.now()).length === 0; posts += 1)
        await world.post(`under the backup ${posts}`);
    };
    await Promise.all([load(), load()]);
    for (let count = 0; count < LATER_JOBS; count += 1) await world.post(`lost ${count}`);
    await world.service.kill();
    const sentBefore = (await world.upstream.ledger()).length;

    const dataDir = newFolder();
    const folder = keptBackups(directory, Date.now())[0]?.folder ?? "";
    await restoreBackup({ folder, dataDir, mayReplace: false });
    await world.restart("fal", { DATA_DIR: dataDir, ...environment, WELCOME_CREDIT_RUB: "100" });
    await eventually("the end of every job", () => readRows({ dataDir }).jobs.every(hasEnded), END_MS);
    expect(await world.upstream.ledger()).toHaveLength(sentBefore);

    const { jobs, media } = readRows({ dataDir });
    expect(jobs.length).toBeLessThan(1 + posts + LATER_JOBS);
    const stored = new Set(
      readdirSync(join(dataDir, "media"), { recursive: true }).map((path) => basename(String(path))),
    );
    for (const { id, status, prompt } of jobs)
      expect(
        media.some(({ job_id, name }) => job_id === id && stored.has(name)),
        prompt,
      ).toBe(status === "done");
    const admin = openAdmin(dataDir);
    expect(admin.verifyLedger().mismatches).toBe(0);
    const refunds = admin.entries(1).filter(({ kind }) => kind === "refund");
    expect(refunds).toHaveLength(jobs.filter(({ status }) => status === "error").length);

    expect((await world.account.ended(await world.post("after all"), END_MS)).status).toBe("done");
    expect(await world.upstream.ledger()).toHaveLength(sentBefore + 1);
    const ann = new Chatter(sandbox.person(ANN.id));
    ann.say("/image a red fox");
    await ann.press(/^✅/);
    await ann.see(({ photo, caption }) => photo !== undefined && caption?.includes("red fox") === true);
    expect(await world.upstream.breaches()).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "a backup that fails leaves the service ready, and is in its answer, in the metrics and told to the admins",
  async () => {
    const { sandbox, environment } = await openTelegram();
    const dataDir = newFolder();
    const directory = newFolder();
    const usual = {
      DATA_DIR: dataDir,
      ...environment,
      ADMIN_IDS: String(ADMIN.id),
      LINK_SECRET: "x".repeat(32),
    };
    const admin = new Chatter(sandbox.person(ADMIN.id));
    const first = new ChildService(usual);
    await first.ready();
    admin.say("/start");
    await admin.see(/./);
    await first.kill();
    // What stands there cannot be copied.
    mkdirSync(join(dataDir, "link.secret"));
    const service = new ChildService({ ...usual, BACKUP_DIR: directory });
    onTestFinished(() => service.kill());
    const url = await service.ready();
    await admin.see(/The backup failed: .*EISDIR/);
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true, warnings: ["backup_failed"] });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^atelier_backup_failing 1$/m);
    expect(metrics).toMatch(/^atelier_backups_total\{outcome="failed"\} 1$/m);
    expect(readdirSync(directory)).toEqual([]);
    expect(existsSync(join(dataDir, "atelier.db"))).toBe(true);
  },
  TIMEOUT_MS,
);
