import { expect, test } from "vitest";
import { Random } from "../simulation/random.js";
import { eventually } from "../support/eventually.js";
import { judgeCrashes, readRows } from "../support/upstream-crash-verdict.js";
import { type CrashWorld, openCrashWorld, SERVICES, type Service } from "../support/upstream-crash-world.js";

/** Parts of the names of fail points, in the order in which a job passes them. */
const BOUNDARIES: readonly (readonly string[])[] = [
  ["commit:before", "job:start"],
  ["job:before-provider"],
  ["commit:before", "attempt:sending"],
  ["upstream:before-post"],
  ["upstream:after-post"],
  ["commit:after", "attempt:accepted"],
  ["upstream:after-poll"],
  ["upstream:before-download"],
  ["upstream:after-download"],
  ["job:after-provider"],
  ["media:before-rename"],
  ["media:after-rename"],
  ["commit:after", "job:done"],
];
/** Nothing is written or sent between one of the above and these; a poll that decides nothing puts off the next one. */
const EQUAL = ["attempt:planned", "attempt:accepted", "attempt:postponed", "attempt:ready", "job:done"];
const KILLS = 8;
const JOBS = 24;
const JOBS_A_START = 4;
/** Of the kills, while the process starts; the others within this time after. */
const EARLY_PART = 0.25;
const SERVING_MS = 800;
/** So long a doubtful submit is looked up. */
const DOUBT_MS = 7 * 60_000;
const END_MS = 60_000;
const TIMEOUT_MS = 240_000;

const serviceAt = (index: number): Service => SERVICES[index % SERVICES.length] ?? "fal";

/** Starts the service, and waits until no job is open but those that are in doubt. */
async function restartUntilQuiet(world: CrashWorld, first: Service): Promise<void> {
  const open = () => {
    const { jobs, attempts } = readRows(world);
    // Those that are looked up; others of this state are being sent.
    const inDoubt = attempts
      .filter(({ state, due_at }) => state === "sending" && due_at !== null)
      .map(({ job_id }) => job_id);
    return jobs.filter(({ id, status }) => !["done", "error"].includes(status) && !inDoubt.includes(id));
  };
  await world.restart(first);
  await eventually("the end of what is not in doubt", () => open().length === 0, END_MS);
}

/** Waits until no job is open; the time of look-ups passes for those that are in doubt. */
async function settle(world: CrashWorld): Promise<void> {
  const all = () => readRows(world).jobs.every(({ status }) => ["done", "error"].includes(status));
  await restartUntilQuiet(world, "fal");
  if (all()) return;
  await world.restart("fal", { TEST_CLOCK_AHEAD_MS: String(DOUBT_MS) });
  await eventually("the end of every job", all, END_MS);
}

test(
  "a service killed at each boundary of a job is asked to pay once, and delivers or refunds",
  async () => {
    const world = await openCrashWorld();
    await world.service.arm(0, "job:start");
    await world.account.ended(await world.post("a trial"), END_MS);
    await world.service.passed("commit:after:job:done");
    const unknown = world.service.failPoints.filter(
      (name) =>
        !name.startsWith("commit:after") &&
        !EQUAL.some((part) => name.includes(part)) &&
        !BOUNDARIES.some((parts) => parts.every((part) => name.includes(part))),
    );
    expect(unknown, "boundaries that this test does not have").toEqual([]);

    for (const [index, parts] of BOUNDARIES.entries()) {
      await world.restart(serviceAt(index));
      await world.service.killAt(...parts);
      await world.post(`killed at boundary ${index}`);
      expect(await world.service.ended, parts.join()).toBe("SIGKILL");
    }

    // Half of a file is there.
    await world.restart("kie");
    const files = await world.upstream.calls("file");
    await world.upstream.order({ fault: "hang-download" });
    await world.post("killed in a download");
    await eventually("a download", async () => (await world.upstream.calls("file")) > files);

    // A database that does not take the reference, and one that leaves it open whether it has.
    await restartUntilQuiet(world, "kie");
    await world.restart("kie", { TEST_REFUSED_COMMIT: "attempt:accepted" });
    await world.service.killAt("upstream:spooled");
    await world.post("spooled one");
    expect(await world.service.ended).toBe("SIGKILL");
    await restartUntilQuiet(world, "polza");
    await world.restart("polza", { TEST_UNKNOWN_COMMIT: "attempt:accepted" });
    await world.post("spooled two");
    expect(await world.service.exitCode).toBe(1);

    await settle(world);
    // Of those that were killed around their POST nobody can know, where the service cannot be asked.
    const { done, refunded } = await judgeCrashes(world);
    expect(done).toBeGreaterThan(refunded);
    const { jobs } = readRows(world);
    expect(jobs.filter(({ prompt }) => prompt.startsWith("spooled"))).toMatchObject([
      { status: "done" },
      { status: "done" },
    ]);
  },
  TIMEOUT_MS,
);

test(
  "a service killed at random moments under many jobs pays for each at most once, and delivers or refunds",
  async () => {
    const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
    process.stdout.write(`CRASH_SEED=${seed}\n`);
    const random = new Random(seed);
    const world = await openCrashWorld();
    let posted = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const started = world.restart(serviceAt(kill));
      const isEarly = random.next() < EARLY_PART;
      if (!isEarly) await started;
      const posting = started.then(async () => {
        for (let count = 0; count < JOBS_A_START && posted < JOBS; count += 1)
          if ((await world.post(`job ${kill}-${count}`)) !== undefined) posted += 1;
      });
      const afterMs = random.next() * (isEarly ? world.startMs : SERVING_MS);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await world.service.kill();
      await posting.catch(() => {});
    }
    await world.restart("fal");
    for (; posted < JOBS; posted += 1) await world.post(`job last-${posted}`);

    await settle(world);
    const { done, refunded } = await judgeCrashes(world);
    expect(done + refunded).toBeGreaterThanOrEqual(JOBS);
    expect(done).toBeGreaterThan(JOBS / 2);
  },
  TIMEOUT_MS,
);
