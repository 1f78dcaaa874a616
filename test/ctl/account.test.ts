import { expect, test } from "vitest";
import { insertNewAccount } from "../../src/accounts/account-store.js";
import { table } from "../../src/database/table.js";
import { integer } from "../../src/platform/integer.js";
import { operator } from "./harness.js";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test("an account is created, credited, debited and shown in rubles", async () => {
  const { json } = operator();
  expect(await json("account create --name Studio")).toEqual({ account_id: 1 });
  expect(await json("account create")).toEqual({ account_id: 2 });
  expect(await json("account credit 1 500.50 --reason gift")).toEqual({
    account_id: 1,
    amount: 500.5,
    balance: 500.5,
  });
  expect(await json("account debit 1 0,50")).toEqual({ account_id: 1, amount: -0.5, balance: 500 });
  const studio = { account_id: 1, name: "Studio", balance: 500, telegram_id: null, created_at: TIME };
  expect(await json("account show 1")).toEqual(studio);
  expect(await json("account list")).toEqual([
    studio,
    { account_id: 2, name: null, balance: 0, telegram_id: null, created_at: TIME },
  ]);
  expect(await json("account entries 1")).toEqual([
    { kind: "credit", amount: 500.5, balance: 500.5, reason: "gift", created_at: TIME },
    { kind: "debit", amount: -0.5, balance: 500, reason: null, created_at: TIME },
  ]);
  expect(await json("account entries 2")).toEqual([]);
});

test("the account of a Telegram user is shown with the user id", async () => {
  const { json, ctl, open } = operator();
  const service = open("service");
  await service.write("test", (tx) => {
    const id = insertNewAccount(tx, { name: "Ann", createdAt: integer(0) });
    table("identity").insert(tx, { kind: "telegram", subject: "5000000077", account_id: id });
    table("identity").insert(tx, { kind: "web", subject: "ann@example.com", account_id: id });
  });
  const ann = { account_id: 1, name: "Ann", balance: 0, telegram_id: 5000000077, created_at: TIME };
  expect(await json("account show 1")).toEqual(ann);
  expect(await json("account list")).toEqual([ann]);
  expect((await ctl("account list")).out).toMatch(/Ann\s+0\s+5000000077/);
  await service.close();
});

test("a debit beyond the balance changes nothing", async () => {
  const { json, failure } = operator();
  await json("account create");
  await json("account credit 1 5");
  expect(await failure("account debit 1 5.01")).toBe("the balance of account 1 is only 5 RUB");
  expect(await json("account entries 1")).toHaveLength(1);
});

test("an invalid amount is answered with the full rule", async () => {
  const { json, failure } = operator();
  await json("account create");
  for (const amount of ["0", "1.005", "10000000000000"]) {
    expect(await failure(`account credit 1 ${amount}`)).toBe(
      `"${amount}" is not an amount: rubles above 0, at most ten digits and two decimals`,
    );
  }
});

test.each(["0", "01", "x", "1.5", "99999999999999999999"])("%j is not an account number", async (id) => {
  const { failure } = operator();
  expect(await failure(`account show ${id}`)).toContain(JSON.stringify(id));
});

test("every command names an unknown account", async () => {
  const { failure } = operator();
  for (const command of ["show 7", "entries 7", "credit 7 1", "debit 7 1"]) {
    expect(await failure(`account ${command}`)).toBe("no account 7");
  }
});

test("without --json the output is text and aligned columns", async () => {
  const { ctl } = operator();
  expect((await ctl("account create --name Studio")).out).toBe("account 1 created\n");
  expect((await ctl("account credit 1 500")).out).toBe("account 1: +500 RUB, the balance is 500 RUB\n");
  const [names, row] = (await ctl("account list")).out.split("\n");
  expect(names).toMatch(/^account {2}name {4}balance, RUB {2}Telegram id {2}created$/);
  expect(row).toMatch(/^ {6}1 {2}Studio {11}500 {2}- {12}20\S+Z$/);
  expect(await ctl("account show 7")).toEqual({ code: 1, out: "", err: "ctl: no account 7\n" });
});
