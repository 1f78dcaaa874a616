import { existsSync, readdirSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { KeptAnswers } from "../../../../src/providers/reference-spool.js";
import { systemError } from "../../../support/fickle-disk.js";
import { newDirectory } from "../../../support/render-tasks.js";
import { answer } from "./fake-service.js";
import { openFake, type World, type WorldOptions } from "./harness.js";

const PICTURE = "aGVsbG8=".repeat(10_000);
const MADE = { files: [`data:image/png;base64,${PICTURE}`] };

/** A driver in front of a service whose answer to a submit holds the files. */
async function openSynchronous(given?: WorldOptions) {
  const { service, world } = await openFake(given);
  service.onPost = (response) => answer(response, 200, MADE);
  return { service, world };
}

/** A start that finds an answer of which no row tells. */
async function startWithAnswer() {
  let isBroken = true;
  const opened = await openSynchronous({
    failPoint: (name) => {
      if (isBroken && name.startsWith("commit:before") && name.includes("attempt:ready"))
        throw systemError("SQLITE_FULL");
    },
  });
  const { world } = opened;
  world.run();
  await world.until("it is kept", () => keptBy(world).length === 1);
  expect(world.attempt()?.state).toBe("sending");
  await world.stop();
  isBroken = false;
  await world.restart();
  return opened;
}

const keptBy = ({ directory }: World) => {
  const path = join(directory, "answers");
  return existsSync(path) ? readdirSync(path) : [];
};
const addressesOf = ({ fetched }: World) =>
  fetched.map((files) => files.map(({ source }) => ("url" in source ? source.url : "")));

describe("an answer that holds the files", () => {
  test("is on the disk until its job has ended, and in no row", async () => {
    const { world } = await openSynchronous();
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(world.attempt()).toMatchObject({ state: "stored", cost: { amount: 0.08, source: "catalogue" } });
    expect(JSON.stringify(world.attempt())).not.toContain(PICTURE.slice(0, 40));
    expect(keptBy(world)).toEqual([`${world.attempt()?.uuid}.json`]);
    world.provider.forget(1);
    await world.until("it is removed", () => keptBy(world).length === 0);
  });

  test.each(["ready", "stored"])(
    "that is %s gives its files again after a restart, without a call",
    async (state) => {
      const { service, world } = await openSynchronous();
      if (state === "ready") world.fetchFaults = ["storage"];
      await world.outcomeOf();
      expect(world.attempt()?.state).toBe(state);
      await world.restart();
      expect(world.provider.hasAttempt(1)).toBe(true);
      expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
      expect(addressesOf(world).at(-1)).toEqual(MADE.files);
      expect(world.attempt()).toMatchObject({ state: "stored", flagged: 0 });
      expect([service.posts.length, service.gets.length]).toEqual([1, 0]);
    },
  );

  test("that is stored, finds no room and is run again is not looked at afterwards", async () => {
    const { world } = await openSynchronous();
    await world.outcomeOf();
    world.fetchFaults = ["storage"];
    expect(await world.outcomeOf()).toMatchObject({ failure: "storage" });
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(world.attempt()).toMatchObject({ state: "stored", late: 0 });
    expect(world.attempt()?.due_at).toBeNull();
  });

  test.each(["ready", "stored"])(
    "that is %s, finds no room and whose job has ended is kept as late",
    async (state) => {
      const { service, world } = await openSynchronous();
      if (state === "stored") await world.outcomeOf();
      world.fetchFaults = ["storage"];
      expect(await world.outcomeOf()).toMatchObject({ failure: "storage" });
      expect(world.attempt()?.state).toBe(state);
      world.provider.forget(1);
      await world.until("it is kept", () => world.kept.length === 1, { stepMs: 5000, maxMs: 3_600_000 });
      await world.until("the answer is removed", () => keptBy(world).length === 0);
      expect(world.attempt()).toMatchObject({ state: "stored", late: 1, flagged: 1 });
      expect(world.attempt()?.due_at).toBeNull();
      expect(service.posts).toHaveLength(1);
    },
  );

  test("that no row tells of is found by the next start: nothing is sent again", async () => {
    const { service, world } = await startWithAnswer();
    expect(world.attempt()).toMatchObject({ state: "ready", flagged: 0 });
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(1);
  });

  test("whose job has ended when it is found by the next start is kept as late", async () => {
    const { world } = await startWithAnswer();
    await world.until("it is kept as late", () => world.kept.length === 1, { stepMs: 5000 });
    expect(world.attempt()).toMatchObject({ state: "stored", late: 1, flagged: 1 });
  });

  test("that is lost ends its job with a record, and is not asked for again", async () => {
    const { service, world } = await openSynchronous();
    world.fetchFaults = ["storage"];
    await world.outcomeOf();
    await new KeptAnswers(join(world.directory, "answers")).remove(world.attempt()?.uuid ?? "");
    await world.restart();
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(world.attempt()).toMatchObject({ state: "failed", flagged: 1 });
    expect(service.posts).toHaveLength(1);
  });

  test("and cannot be kept is delivered all the same, with a line for the operator", async () => {
    const { world } = await openSynchronous({ answers: new KeptAnswers("/dev/null/answers") });
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(world.logged("answer not kept")).toHaveLength(1);
  });

  test("and finds no room on the disk is delivered when there is room again", async () => {
    const { service, world } = await openSynchronous({ answers: new KeptAnswers("/dev/null/answers") });
    world.fetchFaults = ["storage"];
    expect(await world.outcomeOf()).toMatchObject({ failure: "storage" });
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(1);
  });
});

test("answers of jobs that nobody ended are removed after a week", async () => {
  const directory = join(await newDirectory(), "answers");
  const answers = new KeptAnswers(directory);
  await answers.removeOld(0);
  await answers.save("old", { text: "{}" });
  await answers.save("new", { text: "{}" });
  const week = 7 * 24 * 3600;
  const now = Date.now() / 1000;
  await utimes(join(directory, "old.json"), now - week - 60, now - week - 60);
  await answers.removeOld(now * 1000);
  expect(await answers.read("old")).toBeUndefined();
  expect(await answers.read("new")).toMatchObject({ status: 200, text: "{}" });
});
