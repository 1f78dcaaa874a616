import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemError } from "../../../support/fickle-disk.js";
import { fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE, startFakeService } from "./fake-service.js";
import { openFake, openPolled, openWorld } from "./harness.js";

describe("after a restart", () => {
  test("planned: it is mapped anew and sent once", async () => {
    const { service, world } = await openFake();
    const { onPost } = service;
    service.onPost = (response) => answer(response, 429, {});
    world.run();
    await world.until("it is throttled", () => world.attempt()?.detail !== undefined);
    await world.restart();
    expect(world.attempt()?.state).toBe("planned");
    expect(world.provider.hasAttempt(1)).toBe(false);
    service.onPost = onPost;
    service.status = DONE;
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(world.attempt()?.no).toBe(1);
    expect(service.accepted.size).toBe(1);
  });

  test("planned, and what was sold is not known any more: it fails unsent", async () => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, 429, {});
    world.run();
    await world.until("it is throttled", () => world.attempt()?.detail !== undefined);
    await world.restart();
    expect(await world.outcomeOf(1, { operation: undefined })).toMatchObject({ failure: "unavailable" });
    expect(world.attempt()).toMatchObject({ state: "cancelled", no: 1 });
  });

  test("sending: ambiguous where the service cannot be asked, and never sent again", async () => {
    const { service, world } = await openFake();
    service.onPost = (_response, _request, id) => service.accept(id);
    world.run();
    await world.until("it is being sent", () => service.posts.length === 1);
    expect(world.attempt()?.state).toBe("sending");
    await world.restart();
    expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
    expect(world.logged("attempt ambiguous")).toHaveLength(1);
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(service.posts).toHaveLength(1);
  });

  test("accepted, long past its deadline: it is looked at before the deadline counts", async () => {
    const { service, world } = await openPolled();
    await world.stop();
    await world.clock.advance(3_600_000);
    service.status = DONE;
    await world.restart();
    await world.move(60_000);
    expect(world.attempt()).toMatchObject({ state: "accepted", late: 0 });
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  });

  test("accepted, and no job waits for it any more: it becomes late, and is kept and flagged", async () => {
    const { service, world } = await openPolled();
    await world.restart();
    service.status = DONE;
    await world.until("it is kept", () => world.attempt()?.state === "stored", { stepMs: 5000 });
    expect(world.attempt()).toMatchObject({ late: 1, flagged: 1 });
  });

  test("accepted, and its job begins while it becomes late: the job ends", async () => {
    const { service, world, running } = await openPolled();
    await world.store.abandon(world.attempt()?.attempt_id ?? 0, world.clock.now());
    service.status = DONE;
    expect(await world.endOf(running)).toMatchObject({ failure: "timeout" });
    await world.until("it is kept", () => world.kept.length === 1);
  });

  test("ready just after its run was interrupted: its files are fetched by the next run", async () => {
    const { service, world } = await openFake();
    const running = world.run();
    service.onGet = (response) => {
      // As at a stop: what is asked is answered after the runs were aborted.
      running.interrupt();
      answer(response, 200, DONE);
    };
    await world.until("it is ready", () => world.attempt()?.state === "ready");
    await world.move(10_000);
    expect(world.attempt()).toMatchObject({ state: "ready", late: 0 });
    expect(world.kept).toEqual([]);
    await world.restart();
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  });

  test.each(["ready", "stored"])("%s: its files are fetched again, and nothing is sent", async (state) => {
    const { service, world } = await openFake();
    service.status = DONE;
    if (state === "ready") world.fetchFaults = ["storage"];
    await world.outcomeOf();
    expect(world.attempt()?.state).toBe(state);
    await world.restart();
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(world.attempt()).toMatchObject({ state: "stored", flagged: 0 });
    expect(service.posts).toHaveLength(1);
  });

  test("stored, then no storage, and the job is not run again: kept as late, and looked at no more", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    await world.outcomeOf();
    await world.restart();
    world.fetchFaults = ["storage"];
    expect(await world.outcomeOf()).toMatchObject({ failure: "storage" });
    await world.until("it is kept", () => world.kept.length === 1, { stepMs: 5000, maxMs: 3_600_000 });
    expect(world.attempt()).toMatchObject({ state: "stored", late: 1, flagged: 1 });
    expect(world.attempt()?.due_at).toBeNull();
  });

  test("stored, and the result is gone at the service as well: the job fails", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    await world.outcomeOf();
    await world.restart();
    service.onGet = (response) => answer(response, 404, {});
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(world.attempt()).toMatchObject({ state: "failed", flagged: 1 });
    expect(service.posts).toHaveLength(1);
  });
});

describe("a stop", () => {
  test("awaits the submit in flight, and its reference is written", async () => {
    const { service, world } = await openFake();
    let release = () => {};
    service.onPost = (response, _request, id) => {
      release = () => answer(response, 200, { task: service.accept(id) });
    };
    const running = world.run();
    await world.until("it is being sent", () => service.posts.length === 1);
    running.interrupt();
    await running.ended;
    expect(running.error).toBeInstanceOf(Error);
    const stopped = world.stop();
    release();
    await stopped;
    service.status = DONE;
    await world.restart();
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(1);
  });

  test("ends the waiting within a second, and leaves what was not sent planned", async () => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, 429, {}, { "retry-after": "3600" });
    const running = world.run();
    await world.until("it is throttled", () => world.attempt()?.detail !== undefined);
    running.interrupt();
    await running.ended;
    expect(running.error).toBeInstanceOf(Error);
    expect(world.attempt()?.state).toBe("planned");
  });
});

describe("a reference that the database does not take", () => {
  const broken = { isBroken: false };
  const failPoint = (name: string) => {
    if (broken.isBroken && name.startsWith("commit:before") && name.includes("attempt:accepted"))
      throw systemError("SQLITE_FULL");
  };

  /** A service that has started while its database took nothing, with a reference in the spool. */
  async function restartedUnwritten(code: string) {
    const disk = { isClosed: false };
    const failAll = (name: string) => {
      if (disk.isClosed && name.startsWith("commit:before")) throw systemError(code);
      failPoint(name);
    };
    const { service, world } = await openFake({ failPoint: failAll });
    const spool = join(world.directory, "references.spool");
    broken.isBroken = true;
    world.run();
    await world.until("it is in the spool", () => existsSync(spool));
    await world.stop();
    broken.isBroken = false;
    disk.isClosed = true;
    await world.restart();
    return { service, world, spool, disk };
  }

  test.each(["SQLITE_FULL", "SQLITE_BUSY"])(
    "is written after a start that could write nothing (%s), and its attempt is not given up",
    async (code) => {
      const { service, world, spool, disk } = await restartedUnwritten(code);
      expect(world.attempt()?.state).toBe("sending");
      expect(existsSync(spool)).toBe(true);
      disk.isClosed = false;
      service.status = DONE;
      expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
      expect(existsSync(spool)).toBe(false);
      expect(service.posts).toHaveLength(1);
    },
  );

  test("is written while its job runs again, whose deadline counts", async () => {
    const { world, disk } = await restartedUnwritten("SQLITE_FULL");
    const running = world.run();
    await world.move(100);
    disk.isClosed = false;
    await world.until("it is accepted", () => world.attempt()?.state === "accepted");
    expect(await world.endOf(running)).toMatchObject({ failure: "timeout" });
  });

  test("is written as soon as the database takes it, and leaves the spool", async () => {
    const { service, world } = await openFake({ failPoint });
    const spool = join(world.directory, "references.spool");
    broken.isBroken = true;
    const running = world.run();
    await world.until("it is in the spool", () => existsSync(spool));
    broken.isBroken = false;
    service.status = DONE;
    expect(await world.endOf(running)).toMatchObject({ files: [{}] });
    expect(existsSync(spool)).toBe(false);
    expect(service.posts).toHaveLength(1);
  });

  test("nothing is sent while the row cannot be written", async () => {
    const service = await startFakeService();
    let isFull = true;
    const world = await openWorld(service, {
      failPoint: (name) => {
        if (isFull && name.startsWith("commit:before") && name.includes("attempt:sending"))
          throw systemError("SQLITE_FULL");
      },
    });
    expect(await world.outcomeOf()).toMatchObject({ failure: "storage" });
    expect(service.posts).toEqual([]);
    isFull = false;
    service.status = DONE;
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  });
});

test("a start that can write nothing goes on once there is room: doubts are looked up, late results fetched", async () => {
  let isFull = false;
  const failPoint = (name: string) => {
    if (isFull && name.startsWith("commit:before")) throw systemError("SQLITE_FULL");
  };
  const { service, world } = await openFake({ adapter: fakeAdapterWithLookUp(), failPoint });
  service.onPost = (response, _request, id) => {
    service.accept(id);
    response.socket?.resetAndDestroy();
  };
  service.onGet = (response, _request, path) => {
    const id = path.split("/by-id/")[1];
    answer(response, 200, id === undefined ? DONE : { task: service.accepted.get(id) });
  };
  world.run();
  await world.until("it was sent", () => service.posts.length === 1);
  await world.stop();
  isFull = true;
  const started = world.restart();
  await started;
  expect(world.logged("not resumed yet")).not.toEqual([]);
  isFull = false;
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  expect(service.posts).toHaveLength(1);
});
