import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AdminStore } from "../../../src/accounts/admin-store.js";
import { AuditLog } from "../../../src/accounts/audit-log.js";
import { Database } from "../../../src/database/database.js";
import { createManualClock } from "../../support/manual-clock.js";
import { newFolder } from "../../support/new-folder.js";

const VERA = { id: 7, name: "Vera" };
const ACTOR = "chat:7";

function open(listed: readonly number[] = []) {
  const file = join(newFolder(), "a.db");
  const clock = createManualClock();
  const openStore = (role: "service" | "tool") => {
    const database = Database.open({ file, role });
    onTestFinished(() => database.close());
    return { admins: new AdminStore(database, clock, listed), audit: new AuditLog(database, clock) };
  };
  return { service: openStore("service"), tool: openStore("tool") };
}

test("who is added and removed by another process is an admin, and is none, at once", async () => {
  const { service, tool } = open([1]);
  await service.admins.add(VERA, ACTOR);
  expect([...tool.admins]).toEqual([1, 7]);
  expect(await tool.admins.remove(7, "ctl")).toBe(true);
  expect([...service.admins]).toEqual([1]);
  expect([1, 7].map((id) => service.admins.has(id))).toEqual([true, false]);
});

test("adding twice and removing twice are one act each", async () => {
  const { admins, audit } = open().service;
  await Promise.all([admins.add(VERA, ACTOR), admins.add({ ...VERA, name: "Again" }, ACTOR)]);
  expect(admins.kept()).toMatchObject([{ user_id: 7, name: "Vera" }]);
  expect(await admins.remove(7, "ctl")).toBe(true);
  expect(await admins.remove(7, "ctl")).toBe(false);
  expect(audit.list({ limit: 9 })).toMatchObject([
    { act: "admin_remove", actor: "ctl", subject: "admin:7" },
    { act: "admin_add", actor: "chat:7", subject: "admin:7" },
  ]);
});

test("an admin of the settings is listed once, and no row takes that away", async () => {
  const { admins } = open([7]).service;
  await admins.add(VERA, ACTOR);
  expect([...admins]).toEqual([7]);
  await admins.remove(7, "ctl");
  expect(admins.has(7)).toBe(true);
});
