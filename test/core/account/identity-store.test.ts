import { describe, expect, test } from "vitest";
import { accountIdOf, identitiesOf, insertNewAccount } from "../../../src/accounts/account-store.js";
import { table } from "../../../src/database/table.js";
import { integer } from "../../../src/platform/integer.js";
import { openTestCore, type TestCore } from "../../support/core.js";

const ANN = { kind: "telegram", subject: "77" };

let world: TestCore;

const newAccount = () =>
  world.database.write("test", (tx) => insertNewAccount(tx, { name: null, createdAt: integer(0) }));
const identify = (accountId: number, identity: typeof ANN) =>
  world.database.write("test", (tx) => table("identity").insert(tx, { ...identity, account_id: accountId }));

describe("identities", () => {
  test("are of one account, which has one of each kind; the same subject of another kind is another person", async () => {
    world = openTestCore();
    const [one, two] = [await newAccount(), await newAccount()];
    await identify(one, ANN);
    await expect(identify(two, ANN)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
    expect(accountIdOf(world.database, ANN)).toBe(one);
    await expect(identify(one, { kind: "telegram", subject: "78" })).rejects.toMatchObject({
      code: "SQLITE_CONSTRAINT_UNIQUE",
    });
    await identify(two, { kind: "web", subject: "77" });
    await identify(one, { kind: "web", subject: "ann@example.com" });
    expect(identitiesOf(world.database, one)).toEqual([ANN, { kind: "web", subject: "ann@example.com" }]);
    expect(world.adminService.accounts().map(({ identities }) => identities.length)).toEqual([2, 1]);
  });
});
