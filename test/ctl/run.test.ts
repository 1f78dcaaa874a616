import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { runCommand } from "../../src/ctl/run.js";
import { operator } from "./harness.js";

test.each([
  ["", "a command is missing: --help lists them"],
  ["acount list", "unknown command 'acount'"],
])("an invalid command line (%j) fails like any other command", async (command, reason) => {
  const { ctl, failure, directory } = operator();
  expect(await failure(command)).toContain(reason);
  const { code, out, err } = await ctl(command);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^ctl: .*\n$/s);
  expect(readdirSync(directory)).toEqual([]);
});

test("invalid settings fail like any other command", async () => {
  let printed = "";
  const settings = () => {
    throw new Error("HTTP_PORT: must be a number");
  };
  const err = (text: string) => {
    printed += text;
  };
  expect(await runCommand({ args: ["account", "list", "--json"], settings, out: () => {}, err })).toBe(1);
  expect(JSON.parse(printed)).toEqual({ error: "HTTP_PORT: must be a number" });
});

test("the ledger is verified, and a balance that does not match is a failure", async () => {
  const { directory, json, ctl } = operator();
  await json("account create");
  await json("account credit 1 5");
  await json("account create");
  expect(await json("ledger verify")).toEqual({ accounts: 2, mismatches: 0 });
  const forger = new Sqlite(join(directory, "atelier.db"));
  forger.exec("DROP TRIGGER account_balance_is_last_entry; UPDATE account SET balance = 900 WHERE id = 1");
  forger.close();
  expect(await ctl("ledger verify --json")).toEqual({
    code: 1,
    out: '{"accounts":2,"mismatches":1}\n',
    err: '{"error":"1 balances do not match their entries"}\n',
  });
});

test("the service's catalogue or a file is checked, and its errors are listed", async () => {
  const { directory, json, failure } = operator();
  expect(await json("catalogue check")).toEqual({
    models: 19,
    warnings: expect.arrayContaining(["kling-4: kie: duration_sec 30 has no mapping"]),
  });
  const local = join(directory, "local.json");
  const { models, ...rest } = JSON.parse(readFileSync("data/catalogue.json", "utf8"));
  const unrouted = models.map((model: object) => ({ ...model, mappings: {} }));
  writeFileSync(local, JSON.stringify({ ...rest, models: unrouted }));
  expect(await json(`catalogue check ${local}`)).toEqual({ models: 19 });
  const broken = join(directory, "broken.json");
  writeFileSync(broken, '{"style_presets": ["pop"], "models": [{"model_key": "fox"}]}');
  expect(await failure(`catalogue check ${broken}`)).toMatch(/broken.json: fox: type: /);
  expect(await failure(`catalogue check ${directory}/none.json`)).toContain("ENOENT");
  expect(existsSync(join(directory, "atelier.db"))).toBe(false);
});

test("a backup is a complete copy for its owner alone, taken next to a running service, and overwrites nothing", async () => {
  const { directory, open, json, failure } = operator();
  const service = open("service");
  await json("account create --name Studio");
  const file = join(directory, "copy");
  expect(await json(`backup ${file}`)).toEqual({ file, bytes: expect.any(Number) });
  const copy = new Sqlite(join(file, "atelier.db"), { readonly: true });
  expect(copy.prepare("SELECT name FROM account").all()).toEqual([{ name: "Studio" }]);
  copy.close();
  const modes = [file, ...readdirSync(file).map((name) => join(file, name))].map(
    (path) => statSync(path).mode & 0o077,
  );
  expect(modes).toEqual(modes.map(() => 0));
  expect(await failure(`backup ${file}`)).toBe(`${file} exists already`);
  await service.close();
});

/** Overwrites the first page of a table, which nothing reads when the database is opened. */
function damageTable(file: string, table: string): void {
  const db = new Sqlite(file, { readonly: true });
  const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table) as number;
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  db.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, (page - 1) * pageBytes, page * pageBytes));
}

test("a failed backup leaves no file and says which one failed", async () => {
  const { directory, json, failure } = operator();
  await json("account create");
  const database = join(directory, "atelier.db");
  damageTable(database, "ledger_entry");
  const file = join(directory, "copy");
  expect(await failure(`backup ${file}`)).toMatch(/copy cannot be written \(Tree \d+ page \d+/);
  expect(readdirSync(directory).filter((name) => name.includes("copy"))).toEqual([]);
  const nowhere = join(directory, "no/such/copy.db");
  expect(await failure(`backup ${nowhere}`)).toContain(`"${nowhere}" cannot be made (ENOENT`);
});

test("a restore takes data back to a backup, once the operator has read what is lost", async () => {
  const { directory, json, failure, ctl } = operator();
  await json("account create");
  await json("account credit 1 100");
  const file = join(directory, "copy");
  await json(`backup ${file}`);
  await json("account credit 1 5");
  expect(await failure(`restore ${file}`)).toMatch(/1 ledger entries and 0 attempts .* Repeat with --yes/);
  const time = expect.stringMatching(/^20\d\d-\S+Z$/);
  expect(await json(`restore ${file} --yes`)).toEqual({
    file,
    made_at: time,
    last_entry_at: time,
    last_entry_before: time,
    open_attempts: 0,
    lost_attempts: 0,
    kept_in: expect.stringContaining("before-restore-"),
  });
  expect(await json("account show 1")).toMatchObject({ balance: 100 });
  expect(await failure(`restore ${file}`)).toMatch(
    /^the backup ends at \S+Z, as the data there does: it has every ledger entry .* Repeat with --yes/,
  );
  expect((await ctl(`restore ${file} --yes`)).out).toMatch(
    /is the data now; .*\nlost: no ledger entry and no attempt at a service\nthe data of before is in/,
  );
  expect(await failure(`restore ${directory}/media`)).toMatch(/is no whole backup of this program/);
});

test("a name cannot contain control sequences of the operator's terminal", async () => {
  const { ctl } = operator();
  await ctl("account create --name a\u001b[2J\nb");
  const { out } = await ctl("account list");
  expect(out).toContain("a[2J b");
  expect(out.split("\n")).toHaveLength(3);
});

test.each(["account list", "upstream list", "upstream resume fal", "attempt list", "stats"])(
  "`%s` says that the core is elsewhere, and opens nothing",
  async (command) => {
    const { failure, directory } = operator({ isCoreElsewhere: true, upstreams: ["fal"] });
    expect(await failure(command)).toMatch(/^the core is elsewhere \(CORE=api\)/);
    expect(readdirSync(directory)).toEqual([]);
  },
);

test("nobody is forgotten whom the chat never met, and a wrong id is named", async () => {
  const { failure } = operator();
  expect(await failure("person forget 7")).toBe("no account of person 7");
  expect(await failure("person forget @ann")).toBe('"@ann" is not the number of a person');
});
