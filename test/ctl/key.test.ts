import { expect, test } from "vitest";
import { operator } from "./harness.js";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function keyOf(json: (command: string) => Promise<unknown>, account: number): Promise<string> {
  return ((await json(`key create ${account}`)) as { key: string }).key;
}

test("a key is created, shown once, listed without its secret, and revoked", async () => {
  const { json } = operator();
  await json("account create");
  const made = await json("key create 1 --name server");
  expect(made).toEqual({ key_id: 1, key: expect.stringMatching(/^atl_[\w-]{8}_[\w-]{43}$/) });
  const { key } = made as { key: string };
  const second = await keyOf(json, 1);
  const listed = {
    key_id: 1,
    prefix: key.slice(0, 12),
    name: "server",
    created_at: TIME,
    last_used_at: null,
    revoked_at: null,
  };
  const others = { ...listed, key_id: 2, prefix: second.slice(0, 12), name: null };
  expect(await json("key list 1")).toEqual([listed, others]);
  const revoked = await json("key revoke 1");
  expect(revoked).toEqual({ key_id: 1, revoked_at: TIME });
  expect(await json("key list 1")).toEqual([{ ...listed, revoked_at: TIME }, others]);
  expect(await json("key revoke 1"), "the first moment stays").toEqual(revoked);
});

test("an unknown account or key is named", async () => {
  const { json, failure } = operator();
  expect(await failure("key create 7")).toBe("no account 7");
  expect(await failure("key list 7")).toBe("no account 7");
  expect(await failure("key revoke 7")).toBe("no key 7");
  expect(await failure("key revoke x")).toBe('"x" is not the number of a key');
  await json("account create");
  expect(await json("key list 1")).toEqual([]);
});

test("without --json a new key is printed alone, for pipes, and lists have aligned columns", async () => {
  const { ctl } = operator();
  await ctl("account create");
  const { out: key } = await ctl("key create 1");
  expect(key).toMatch(/^atl_[\w-]{8}_[\w-]{43}\n$/);
  expect((await ctl("key revoke 1")).out).toMatch(/^key 1 revoked at 20\S+Z\n$/);
  const [names, row] = (await ctl("key list 1")).out.split("\n");
  expect(names).toMatch(/^key {2}prefix {8}name {2}created {19}last used {2}revoked$/);
  expect(row).toContain(key.slice(0, 12));
});
