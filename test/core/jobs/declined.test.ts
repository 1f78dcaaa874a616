import { describe, expect, test } from "vitest";
import { jobById, moveJob } from "../../../src/jobs/job-store.js";
import type { GenerationTask, Outcome } from "../../../src/jobs/provider.js";
import {
  IMAGE,
  openTestCore,
  order,
  quote,
  type TestCore,
  type TestCoreOptions,
} from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { failOnce } from "../../support/fail-once.js";
import { recordingLogger } from "../../support/log.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { readNamed, type StubProvider, createStubService as service } from "../../support/stub-provider.js";

const UNIT = quote(IMAGE).totalKopecks;
const DECLINED: Outcome = {
  kind: "declined",
  error: "The service takes nothing now.",
  cause: new Error("402"),
};

const mappingd = catalogueWith({
  [IMAGE.model_key]: {
    a: [serviceMapping()],
    other: [serviceMapping({ substitute: "Nano Banana 2" })],
    b: [serviceMapping({ when: { resolution: ["1K"] }, endpoint: "service/of-b" })],
    c: [serviceMapping()],
  },
});

let world: TestCore;

/** A service that gives every job back. */
function declining(name: string): StubProvider {
  const stub = service(name);
  const run = (task: GenerationTask) => {
    stub.tasks.push(task);
    return Promise.resolve(DECLINED);
  };
  return Object.assign(stub, { run });
}

function openWorld(providers: StubProvider[], options: TestCoreOptions = {}) {
  const recorded = recordingLogger("info");
  world = openTestCore({
    providers,
    catalogue: mappingd,
    logger: recorded.logger,
    readReference: readNamed,
    ...options,
  });
  return recorded.lines;
}

describe("a job that its service declines", () => {
  test("is made by the next one whose mapping takes it, for one charge, by an operation of its own", async () => {
    const [a, b, c] = [declining("a"), service("b"), service("c")];
    const lines = openWorld([a, b, c]);
    const ann = await world.begun(2 * UNIT);
    const { job_id } = await order(ann, "one", { ...IMAGE, reference_urls: ["https://a.example/1"] });
    expect(await world.ended(ann, job_id)).toMatchObject({ status: "done", model_title: "Nano Banana 2.1" });
    expect([a, b, c].map(({ tasks }) => tasks.length)).toEqual([1, 1, 0]);
    expect(b.tasks[0]?.references).toHaveLength(1);
    const endpoints = [a, b].map(({ tasks }) => tasks[0]?.operation?.operation.endpoint);
    expect(endpoints).toEqual(["service/model", "service/of-b"]);
    expect(jobById(world.database, 1)).toMatchObject({ provider: "b", declined_by: '["a"]' });
    expect(world.adminService.entries(1).filter(({ kind }) => kind !== "credit")).toHaveLength(1);
    expect(lines.filter(({ msg }) => msg === "job declined by its provider")).toMatchObject([
      { provider: "a", next: "b", err: { message: "402" } },
    ]);
  });

  test("is never made as another title than the one that was sold: it fails with its refund", async () => {
    const [a, other] = [declining("a"), service("other")];
    openWorld([a, other]);
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "one");
    expect(await world.ended(ann, job_id)).toMatchObject({ status: "error", refunded: true });
    expect(world.core.providerHost.mayHandOver(1)).toBe(false);
    expect([a, other].map(({ tasks }) => tasks.length)).toEqual([1, 0]);
    expect(await ann.balance()).toMatchObject({ amount: UNIT / 100 });
  });

  test("asks each service once, then fails with the reason and its refund", async () => {
    const services = ["a", "b", "c"].map(declining);
    openWorld(services);
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "one");
    expect(await world.ended(ann, job_id)).toMatchObject({
      status: "error",
      failure: "unavailable",
      error: "The service takes nothing now.",
      refunded: true,
    });
    expect(services.map(({ tasks }) => tasks.length)).toEqual([1, 1, 1]);
    expect(await ann.balance()).toMatchObject({ amount: UNIT / 100 });
  });

  test("goes on with its new service after a restart", async () => {
    const b = service("b");
    b.holds = true;
    openWorld([declining("a"), b]);
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "one");
    await eventually("the task", () => b.held.length === 1);
    expect((await ann.job(job_id)).status).toBe("generating");
    await world.close();
    const again = [declining("a"), service("b")];
    openWorld(again, { directory: world.directory });
    await world.core.start();
    expect((await world.ended(await world.person(1), job_id)).status).toBe("done");
    expect(again.map(({ tasks }) => tasks.length)).toEqual([0, 1]);
    expect(again[1]?.tasks[0]?.operation?.operation.endpoint).toBe("service/of-b");
  });

  test("is handed over once the database is writable again", async () => {
    const b = service("b");
    const failPoint = failOnce("commit:before", "job:hand-over");
    openWorld([declining("a"), b], { failPoint });
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "one");
    await eventually("the failed write", () => failPoint.hasFailed);
    await eventually("the retry", async () => {
      await world.clock.advance(1000);
      return b.tasks.length === 1;
    });
    expect((await world.ended(ann, job_id)).status).toBe("done");
  });

  test("that has ended meanwhile stays with its service", async () => {
    openWorld([service("a"), service("b")]);
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "one");
    await world.ended(ann, job_id);
    const move = { id: 1, from: "a", to: "b", declinedBy: '["a"]' };
    expect(await world.database.write("test", (tx) => moveJob(tx, move))).toBeUndefined();
    expect(jobById(world.database, 1)).toMatchObject({ status: "done", provider: "a" });
  });
});
