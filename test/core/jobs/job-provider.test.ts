import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { jobById } from "../../../src/jobs/job-store.js";
import { IMAGE, MUSIC, openTestCore, order, type TestCore } from "../../support/core.js";

let world: TestCore | undefined;

test("a job keeps the provider and the track count that the catalogue had when it was accepted", async () => {
  world = openTestCore();
  const ann = await world.person(1, 1000_00);
  await order(ann, "song", MUSIC);
  await order(ann, "one track", { ...MUSIC, model_key: "music:elevenlabs" });
  await order(ann, "picture", IMAGE);
  const { database } = world;
  const stored = [1, 2, 3].map((id) => jobById(database, id));
  expect(stored.map((job) => [job?.provider, job?.tracks])).toEqual([
    ["local", 2],
    ["local", 1],
    ["local", 1],
  ]);
});

test("a job makes as many tracks as were stored with it, whatever the catalogue says now", async () => {
  world = openTestCore();
  const ann = await world.person(1, 1000_00);
  const { job_id } = await order(ann, "song", MUSIC);
  const other = new Sqlite(`${world.directory}/atelier.db`);
  other.exec("UPDATE job SET tracks = 1");
  other.close();
  await world.core.start();
  expect((await world.ended(ann, job_id)).result?.tracks).toHaveLength(1);
  expect(world.provider.tasks.map(({ tracks }) => tracks)).toEqual([1]);
});
