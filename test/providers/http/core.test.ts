import { mkdtempSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createUpstreams, type Timing } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";
import { Catalogue } from "../../../src/catalogue/catalogue.js";
import type { JobId } from "../../../src/contract/job.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { mediaOfJob } from "../../../src/media/media-store.js";
import { noFailPoint } from "../../../src/platform/fail-point.js";
import { systemIds } from "../../../src/platform/ids.js";
import type { Gateway } from "../../../src/ports/gateway.js";
import { NoticeQueue } from "../../../src/ports/operator-notices.js";
import type { UpstreamAdapter } from "../../../src/providers/adapter.js";
import { HttpProvider } from "../../../src/providers/http-provider.js";
import { KeptAnswers, ReferenceSpool } from "../../../src/providers/reference-spool.js";
import { fal } from "../../../src/providers/services/fal.js";
import { kie } from "../../../src/providers/services/kie.js";
import { type CoreParts, catalogue, openTestCore, order } from "../../support/core.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";

const TIMING: Timing = { queueMs: 1000, runMs: 4000 };
const STEP_MS = 500;
const OF_FAL: GenerationRequest = { type: "image", model_key: "z-image-turbo", prompt: "a fox" };
const OF_KIE: GenerationRequest = { type: "image", model_key: "nano-banana-2-lite", prompt: "a fox" };

/** Nobody but fal makes OF_FAL. */
const ofOne = new Catalogue(
  catalogue.entries.map((entry) =>
    entry.model_key === OF_FAL.model_key ? { ...entry, mappings: { fal: entry.mappings.fal ?? [] } } : entry,
  ),
  catalogue,
);

/** A core with two services of the stand-in; downloads are left out. */
async function openBoth({ timing = TIMING, hanging = "" } = {}) {
  const clock = createManualClock();
  const stand = await createUpstreams({ clock, timing, hasOwnAddresses: true });
  const roots = stand.environment(["fal", "kie"]);
  const providerOf = (adapter: UpstreamAdapter, { database, directory }: CoreParts) => {
    const settings = catalogue.services[adapter.name];
    if (!settings) throw new Error(adapter.name);
    return new HttpProvider({
      adapter,
      settings,
      key: "stand-in",
      root: new URL(roots[`${adapter.name.toUpperCase()}_API_ROOT`] ?? ""),
      references: { publish: async () => [] },
      outputs: {
        async fetch(_files, folder) {
          const path = join(mkdtempSync(join(folder, "output-")), "1.webp");
          await writeFile(path, "a picture");
          return [{ path, mime: "image/webp" }];
        },
      },
      database,
      spool: new ReferenceSpool(join(directory, "references.spool")),
      notices: new NoticeQueue(),
      answers: new KeptAnswers(join(directory, "answers")),
      clock,
      ids: systemIds,
      failPoint: noFailPoint,
      logger: silentLogger(),
    });
  };
  const providers: HttpProvider[] = [];
  const world = openTestCore({
    clock,
    catalogue: ofOne,
    providers: (parts) => {
      providers.push(...[fal, kie].map((adapter) => providerOf(adapter, parts)));
      return providers;
    },
  });
  onTestFinished(async () => {
    await stand.close();
    const closed = Promise.all(providers.map((provider) => provider.close())).then(() => world.close());
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    while (!isClosed) await clock.advance(STEP_MS);
  });
  await Promise.all(providers.map((provider) => provider.start(world.core.providerHost)));
  await world.core.start();

  const step = async () => {
    await clock.advance(STEP_MS);
    for (let turn = 0; turn < 8; turn += 1) await turnOfEvents();
    const isSending = ({ name, service: { store } }: HttpProvider) =>
      name !== hanging && (store.countOpen().sending ?? 0) > 0;
    while (providers.some(isSending)) await turnOfEvents();
    // Commits what waits for other writes, which takes real time otherwise.
    await world.database.write("test", () => {});
  };
  const until = async (isSo: () => boolean | Promise<boolean>, stepMs = STEP_MS) => {
    for (const startedAt = clock.now(); !(await isSo()); ) {
      if (clock.now() - startedAt > 3_600_000) throw new Error("it never happens");
      await clock.advance(stepMs - STEP_MS);
      await step();
    }
  };
  /** When each job was done, in ms from now. */
  const waitsOf = async (gateway: Gateway, ids: readonly JobId[]) => {
    const startedAt = clock.now();
    const waits = new Map<JobId, number>();
    await until(async () => {
      for (const id of ids.filter((one) => !waits.has(one)))
        if ((await gateway.job(id)).status === "done") waits.set(id, clock.now() - startedAt);
      return waits.size === ids.length;
    });
    return [...waits.values()].sort((one, other) => one - other);
  };
  const orders = async (gateway: Gateway, name: string, count: number, request: GenerationRequest) => {
    const all = Array.from({ length: count / 4 }, (_, index) =>
      order(gateway, `${name}-${index}`, { ...request, prompt: `${name} ${index}`, count: 4 }),
    );
    return (await Promise.all(all)).flatMap(({ job_ids }) => job_ids);
  };
  return { world, stand, step, until, waitsOf, orders };
}

test("while one service hangs, the jobs of another take as long as ever", async () => {
  const waitsBeside = async (isHanging: boolean) => {
    const { world, stand, waitsOf, orders } = await openBoth({ hanging: isHanging ? "fal" : "" });
    const ann = await world.person(1, 100_000_00);
    if (isHanging) {
      stand.order({ fault: "hang-after-accept", service: "fal", times: 1000 });
      await orders(ann, "hung", 60, OF_FAL);
    }
    const waits = await waitsOf(ann, await orders(ann, "made", 40, OF_KIE));
    expect(stand.breaches).toEqual([]);
    return waits;
  };
  const [alone, beside] = [await waitsBeside(false), await waitsBeside(true)];
  // A job that waited for the hanging service would take a minute longer.
  for (const index of [0, 20, 39]) expect(beside[index]).toBeLessThanOrEqual((alone[index] ?? 0) + 20_000);
});

test("while one service cannot be reached, its jobs hold no slot, another keeps its pace, and all are made later", async () => {
  const { world, stand, step, until, waitsOf, orders } = await openBoth();
  const ann = await world.person(1, 100_000_00);
  stand.control("POST", "/control/down", { service: "fal", isDown: true });
  const away = await orders(ann, "away", 60, OF_FAL);
  const isAway = async (id: JobId) => (await ann.job(id)).waiting?.isAway === true;
  const areAllAway = async () => (await Promise.all(away.map(isAway))).every(Boolean);
  await until(areAllAway);
  expect(await world.metric("atelier_jobs", { status: "generating" })).toBe(0);
  const waits = await waitsOf(ann, await orders(ann, "made", 40, OF_KIE));
  expect(waits).toHaveLength(40);
  stand.control("POST", "/control/down", { service: "fal", isDown: false });
  const made = await waitsOf(ann, away);
  expect(made).toHaveLength(60);
  for (let count = 0; count < 10; count += 1) await step();
  expect(stand.breaches).toEqual([]);
  expect(world.adminService.entries(1).filter(({ kind }) => kind === "refund")).toEqual([]);
});

test("a thousand jobs of one account make another's wait no longer than one window of submits", async () => {
  const { world, step, waitsOf, orders } = await openBoth();
  const [ann, bob] = [await world.person(1, 100_000_00), await world.person(2, 1000_00)];
  const alone = await waitsOf(bob, await orders(bob, "alone", 4, OF_KIE));
  await orders(ann, "ann", 1000, OF_KIE);
  for (let count = 0; count < 30; count += 1) await step();
  const beside = await waitsOf(bob, await orders(bob, "beside", 4, OF_KIE));
  const windowMs = catalogue.services.kie?.submits?.per_ms ?? 0;
  // Two windows: the one that is full, and that of the few that were about to be sent.
  expect(beside.at(-1)).toBeLessThanOrEqual((alone.at(-1) ?? 0) + windowMs + 4 * STEP_MS);
});

test("a job past its deadline is refunded once; what comes late is kept with it, and never delivered", async () => {
  const { world, stand, until } = await openBoth({ timing: { queueMs: 0, runMs: 24 * 3_600_000 } });
  const ann = await world.person(1, 1000_00);
  const { job_id: id } = await order(ann, "late", OF_KIE);
  await until(async () => (await ann.job(id)).status === "error", 10_000);
  const entries = () => world.adminService.entries(1).map(({ kind }) => kind);
  expect(entries().sort()).toEqual(["charge", "credit", "refund"]);
  stand.advance(24 * 3_600_000);
  await until(() => mediaOfJob(world.database, Number(id)).length > 0, 10_000);
  expect(await ann.job(id)).toMatchObject({ status: "error", result: null, refunded: true });
  expect(await ann.results(await ann.job(id))).toEqual([]);
  expect(entries().sort()).toEqual(["charge", "credit", "refund"]);
  expect(stand.ledger).toHaveLength(1);
});
