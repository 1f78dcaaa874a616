import { expect, test } from "vitest";
import { AdminStore } from "../../src/accounts/admin-store.js";
import { createManualClock } from "../support/manual-clock.js";
import { operator } from "./harness.js";

async function withVera({ adminIds = [] as readonly number[], isCoreElsewhere = false } = {}) {
  const tools = operator({ adminIds, isCoreElsewhere });
  const database = tools.open("service");
  const store = new AdminStore(database, createManualClock(), []);
  await store.add({ id: 7, name: "Vera\n" }, "telegram:7");
  await database.close();
  return tools;
}

test.each([false, true])(
  "admins are listed and removed, with the core elsewhere: %s",
  async (isCoreElsewhere) => {
    const { ctl, json, failure } = await withVera({ adminIds: [5], isCoreElsewhere });
    const { out } = await ctl("admin list");
    expect(out.trimEnd().split("\n")).toEqual([
      "id  by         name   since",
      " 5  ADMIN_IDS  -      -",
      " 7  code       Vera   2026-01-01T00:00:00.000Z",
    ]);
    expect(await json("admin remove 7")).toEqual({ user_id: 7, is_admin: false });
    expect(await json("admin list")).toMatchObject([{ user_id: 5, source: "ADMIN_IDS" }]);
    expect(await failure("admin remove 7")).toContain('7 is no admin: "admin list" shows them');
  },
);

test("who is an admin by ADMIN_IDS too stays one, and the answer says so", async () => {
  const { ctl, failure } = await withVera({ adminIds: [7] });
  expect((await ctl("admin remove 7")).out).toBe("7 is no admin here, and stays one by ADMIN_IDS\n");
  expect(await failure("admin remove 7")).toContain("take it out there, and restart");
});

test.each(["0", "-7", "@vera", "7e3"])("%s is no id", async (id) => {
  const { failure } = operator();
  expect(await failure(`admin remove ${id}`)).toMatch(/is not the number of a person|unknown option/);
});
