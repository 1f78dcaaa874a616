import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { reasonedActs } from "../../../src/accounts/audit-log.js";
import { agree } from "../../../src/accounts/consent-log.js";
import { verifyLedger } from "../../../src/accounts/ledger-store.js";
import { MUSIC, openTestCore, order, type TestCore } from "../../support/core.js";
import { wordsIn } from "../../support/words-in.js";

const WORDS = "an otter named Marmalade";
const ANN = 7;

/** A person with a finished picture, a finished song, a key, and money. */
async function openPerson(): Promise<TestCore> {
  const world = openTestCore();
  await world.core.start();
  const gateway = await world.person(ANN, 500_00);
  await world.core.accounts.keys.create({ id: ANN, name: "Ann" }, "Ann's laptop");
  const picture = { type: "image", model_key: "nano-banana-2", prompt: WORDS } as const;
  const accepted = [
    await order(gateway, "one", picture),
    await order(gateway, "two", { ...MUSIC, description: WORDS, title: WORDS }),
  ];
  for (const { job_ids } of accepted) for (const id of job_ids) await world.ended(gateway, id);
  const note = { text: WORDS, actor: "telegram:9", idempotencyKey: "note" };
  await world.core.accounts.users.note(ANN, note);
  await agree(world, 1, [{ document: "terms", version: "v1" }]);
  return world;
}

const NEVER = new AbortController().signal;

test("what a person's account stores is told by sections, words and sums included", async () => {
  const world = await openPerson();
  await world.core.accounts.audit.record({ actor: "telegram:9", act: "ban", accountId: 1, reason: "spam" });
  const sections = [...world.core.accounts.personalData.sections(ANN)];
  const told = Object.fromEntries(sections.map(({ name, rows }) => [name, [...rows]]));
  expect(Object.keys(told)).toEqual([
    "account",
    "keys",
    "notes",
    "acts",
    "consents",
    "payments",
    "entries",
    "jobs",
  ]);
  expect(told.account).toMatchObject([{ balance_rub: expect.any(Number) }]);
  expect(told.keys).toMatchObject([{ name: "Ann's laptop", revoked_at: null }]);
  expect(told.notes).toMatchObject([{ text: WORDS }]);
  expect(told.acts).toMatchObject([{ act: "ban", reason: "spam" }]);
  expect(told.consents).toMatchObject([{ document: "terms", version: "v1", at: expect.any(String) }]);
  expect(told.entries?.map(({ kind }) => kind)).toEqual(["credit", "charge", "charge"]);
  expect(told.jobs?.[0]).toMatchObject({ status: "done", request: { prompt: WORDS }, refunded: false });
  expect([...world.core.accounts.personalData.sections(99)]).toEqual([]);
});

test("acts without a reason take no place among those that are told", async () => {
  const { core, database } = await openPerson();
  await core.accounts.audit.record({ actor: "telegram:9", act: "ban", accountId: 1, reason: "spam" });
  await core.accounts.audit.record({ actor: "telegram:9", act: "unban", accountId: 1 });
  expect(reasonedActs(database, 1, 1)).toMatchObject([{ act: "ban", reason: "spam" }]);
});

test("an erased account has no words, names, keys or files, and the same sums", async () => {
  const world = await openPerson();
  const { personalData, audit, users } = world.core.accounts;
  const balance = await users.balanceOf(ANN);
  expect(await personalData.askToErase(ANN, "telegram:7")).toBe(true);
  expect(await personalData.askToErase(ANN, "telegram:7"), "a double tap").toBe(false);
  expect(personalData.toErase()).toEqual([ANN]);
  await world.clock.advance(1000);
  await personalData.erase(ANN, NEVER);
  await personalData.finishErasure(ANN);
  await personalData.finishErasure(ANN);

  expect(personalData.toErase()).toEqual([]);
  expect(wordsIn(world.directory, [WORDS, "Ann's laptop", `person ${ANN}`])).toEqual([]);
  expect(await world.core.accounts.keys.living({ id: ANN, name: "" })).toEqual([]);
  const files = readdirSync(world.mediaDirectory, { recursive: true, withFileTypes: true });
  expect(files.filter((file) => file.isFile() && /\.(webp|mp3|png)$/.test(file.name))).toEqual([]);
  expect(await users.balanceOf(ANN)).toBe(balance);
  expect(verifyLedger(world.database)).toMatchObject({ mismatches: 0 });
  expect(audit.list({ limit: 9 }).map(({ act }) => act)).toEqual(["forgotten", "forget", "note", "credit"]);
});

test("an erasure that was cut off goes on, and a job that runs keeps its words until then", async () => {
  const world = await openPerson();
  const { personalData } = world.core.accounts;
  await personalData.askToErase(ANN, "telegram:7");
  await personalData.erase(ANN, AbortSignal.abort());
  expect(wordsIn(world.directory, [WORDS])).not.toEqual([]);
  world.provider.holds = true;
  const gateway = await world.person(ANN);
  await order(gateway, "three", { type: "image", model_key: "nano-banana-2", prompt: "a second otter" });
  expect(personalData.hasOpenJobs(ANN)).toBe(true);
  await personalData.erase(ANN, NEVER);
  expect(wordsIn(world.directory, [WORDS])).toEqual([]);
  expect(wordsIn(world.directory, ["a second otter"])).not.toEqual([]);
});

test("the wish stays where a job was ordered meanwhile, and the words of that one go too", async () => {
  const world = await openPerson();
  const { personalData, audit } = world.core.accounts;
  await personalData.askToErase(ANN, "telegram:7");
  world.provider.holds = true;
  const gateway = await world.person(ANN);
  const late = { type: "image", model_key: "nano-banana-2", prompt: "a second otter" } as const;
  const { job_ids } = await order(gateway, "three", late);
  await personalData.erase(ANN, NEVER);
  expect(await personalData.finishErasure(ANN)).toBe(false);
  world.provider.holds = false;
  for (const task of [...world.provider.held]) task.finish();
  for (const id of job_ids) await world.ended(gateway, id);
  expect(await personalData.finishErasure(ANN), "the job has ended, its words are there").toBe(false);
  expect(personalData.toErase()).toEqual([ANN]);
  expect(audit.list({ limit: 1 })).toMatchObject([{ act: "forget" }]);
  await personalData.erase(ANN, NEVER);
  expect(await personalData.finishErasure(ANN)).toBe(true);
  expect(wordsIn(world.directory, [WORDS, "a second otter"])).toEqual([]);
});
