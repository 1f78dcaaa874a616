import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ReloadRequests, reloadWatch } from "../../src/catalogue/watch-offers.js";
import { systemClock } from "../../src/platform/clock.js";
import { silentLogger } from "../support/log.js";
import { newFolder } from "../support/new-folder.js";
import { operator } from "./harness.js";

const FILES = ["data/moderation/sexual.txt"];

test("moderation test tells which rule refuses a text", async () => {
  const { ctl } = operator({ moderationFiles: FILES });
  const { code, out } = await ctl("moderation test p0rn --json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ refused: true, file: FILES[0], line: 3, rule: "porn*" });
  expect((await ctl("moderation test fox --json")).out).toBe('{"refused":false}\n');
});

test("moderation test says what is missing, in one line", async () => {
  const { ctl } = operator();
  expect((await ctl("moderation test fox")).err).toBe(
    "ctl: MODERATION_FILE is not set: name a file with --file\n",
  );
  const { err } = await ctl("moderation test fox --file /no/such.txt");
  expect(err).toMatch(/^ctl: \/no\/such\.txt: cannot be read \(.*\)\n$/);
});

test("moderation reload waits for the service, and tells its answer; requests about offers are not its own", async () => {
  const file = join(newFolder(), "rules.txt");
  writeFileSync(file, "fox\n");
  const { open, json, failure } = operator({ moderationFiles: [file] });
  const database = open("service");
  const outcomes = [null, "MODERATION_FILE: rules.txt:1: too short"];
  const watch = reloadWatch(
    "moderation",
    () => outcomes.shift() ?? null,
    database,
    systemClock,
    silentLogger(),
  );
  watch.start();
  const offers = await new ReloadRequests(database, systemClock).ask();
  expect(await json("moderation reload")).toEqual({ files: [file] });
  expect(await failure("moderation reload")).toBe("MODERATION_FILE: rules.txt:1: too short");
  expect(new ReloadRequests(database, systemClock).outcomeOf(offers)).toBeUndefined();
  writeFileSync(file, "/(/\n");
  expect(await failure("moderation reload")).toContain("line 1: ( without its )");
  await watch.stop();
  await database.close();
});

test("moderation reload says that there is no file", async () => {
  expect(await operator().failure("moderation reload")).toContain("MODERATION_FILE is not set");
});
