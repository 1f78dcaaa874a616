import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { erasures, jsonDocument } from "../../src/bot/features/my-data.js";
import { asKopecks } from "../../src/contract/price.js";
import { accountSections } from "../../src/gather/personal-data-service.js";
import { installAccounts } from "../support/api-accounts.js";
import { ANN, managedOf } from "../support/bot-harness.js";
import { ChildService } from "../support/child-service.js";
import { openTestCore } from "../support/core.js";
import { openDesk } from "../support/desk-world.js";
import { eventually } from "../support/eventually.js";
import { LoopWatch } from "../support/loop-watch.js";
import { newFolder } from "../support/new-folder.js";
import { startSandbox, TOKEN } from "../support/service.js";

const HOLD_MAX_MS = 20;
/** What a machine takes away from the service is not there in each of so many rounds: one that is good is enough. */
const ROUNDS = 3;
const BODY_BYTES = 12 * 1024 * 1024;
/** So many bodies of 12 MB are taken at once, one of an account. */
const ACCOUNTS = 3;
/** How long a pre-checkout query may wait for its answer; Telegram gives up after 10 s. */
const CHECKOUT_MS = 2000;
const ENTRIES = 100_000;
const CARDS = 50_000;

const IMAGE = { type: "image", model_key: "gpt-image-2-5" };
const RULES = "porn*\nnude|naked + child*\n/(?:a|a|a){0,6}q/\n";

/** A body of 12 MB. */
function filled(value: (count: number) => string, count: number): string {
  const body = `{"type":"image","model_key":"nano-banana-2-lite","prompt":"","extra":${value(count)}`;
  return `${body}${" ".repeat(BODY_BYTES - Buffer.byteLength(body) - 1)}}`;
}

const ATTACKS: readonly (readonly [what: string, bodies: () => string[]])[] = [
  [
    "prompts that fold to 18 characters each, or match a pattern in many ways",
    () =>
      ["\ufdfa", "\u337f", "a", "n u d ", "го-ла "].map((piece) =>
        JSON.stringify({ ...IMAGE, prompt: piece.repeat(20_000).slice(0, 20_000) }),
      ),
  ],
  ["200 000 values", () => [filled((count) => `[${"{},".repeat(count)}0]`, 190_000)]],
  ["fields without an end", () => [filled((count) => `{${fields(count)}}`, 150_000)]],
  ["one text of escapes", () => [filled((count) => `"${"\\u0430".repeat(count)}"`, 2_000_000)]],
  ["nothing but spaces", () => [filled(() => "0", 0)]],
  [
    "three bodies at once",
    () =>
      Array.from({ length: ACCOUNTS }, () => filled((count) => `"${"\\u0430".repeat(count)}"`, 2_000_000)),
  ],
];

function fields(count: number): string {
  return Array.from({ length: count }, (_, index) => `"name-of-a-field-${index}":"value ${index}"`).join(",");
}

/** Of an invoice that nobody was sent: it is looked up and refused. */
const CHECKOUT = {
  from: { id: 900_001, is_bot: false, first_name: "Boris", language_code: "en" },
  currency: "XTR",
  total_amount: 50,
  invoice_payload: "t1:unknown",
};

/** The longest hold of the best of some rounds, each of which tells its own. */
async function bestHoldMs(round: () => Promise<number>): Promise<number> {
  let best = await round();
  for (let done = 1; done < ROUNDS && best >= HOLD_MAX_MS; done += 1) best = Math.min(best, await round());
  return best;
}

/** Runs the service, and returns what posts to it and what tells its longest hold since the last look. */
async function startService() {
  const directory = newFolder();
  const rules = join(directory, "rules.txt");
  writeFileSync(rules, RULES);
  const { keys } = await installAccounts(directory, ACCOUNTS, 100_000);
  const sandbox = await startSandbox();
  const service = new ChildService({
    DATA_DIR: directory,
    MODERATION_FILE: rules,
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    TOPUP_STARS: "50:50",
  });
  onTestFinished(() => service.kill());
  const url = await service.ready();
  const post = async (body: string, nth: number) => {
    const key = keys[nth % ACCOUNTS];
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": crypto.randomUUID() };
    const answer = await fetch(`${url}/v1/generations`, { method: "POST", headers, body });
    return answer.json();
  };
  const refused = async () => {
    const body = Buffer.alloc(BODY_BYTES, " ");
    return (await fetch(`${url}/v1/generations`, { method: "POST", body })).status;
  };
  const longestHoldMs = () => service.longestHoldMs();
  const isAlive = async () => (await fetch(`${url}/healthz`)).status === 200;
  const checkout = async () => {
    const id = crypto.randomUUID();
    const askedAt = performance.now();
    sandbox.pushUpdate("pre_checkout_query", { ...CHECKOUT, id });
    await sandbox.waitForCall("answerPreCheckoutQuery", ({ params }) => params.pre_checkout_query_id === id);
    return performance.now() - askedAt;
  };
  return { post, refused, longestHoldMs, isAlive, checkout };
}

test("nothing that is posted holds the event loop for more than 20 ms at a time", async () => {
  const { post, refused, longestHoldMs, isAlive, checkout } = await startService();
  for (const [what, bodiesOf] of ATTACKS) {
    const bodies = bodiesOf();
    // The first bodies start the thread and compile what reads them.
    for (const [nth, body] of bodies.entries()) await post(body, nth);
    await checkout();
    const holdMs = await bestHoldMs(async () => {
      await longestHoldMs();
      const answers = Promise.all(bodies.map(post));
      const wait = checkout();
      expect(await isAlive()).toBe(true);
      expect(await wait, what).toBeLessThan(CHECKOUT_MS);
      for (const answer of await answers) expect(answer).toHaveProperty("ok");
      return longestHoldMs();
    });
    expect(holdMs, what).toBeLessThan(HOLD_MAX_MS);
  }
  const holdMs = await bestHoldMs(async () => {
    await longestHoldMs();
    const answers = await Promise.all(Array.from({ length: 2 * ACCOUNTS }, refused));
    expect(new Set(answers)).toEqual(new Set([401]));
    return longestHoldMs();
  });
  expect(holdMs, "bodies of 12 MB that nobody reads").toBeLessThan(HOLD_MAX_MS);
});

test("the export and the erasure of 50 000 cards hold the event loop for at most 20 ms at a time", async () => {
  const desk = openDesk();
  await desk.say("/start");
  const bot = managedOf(desk.parts);
  const fill = () => {
    const database = new Sqlite(join(desk.directory, "atelier.db"));
    database.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CARDS})
      INSERT INTO draft (user_id, chat_id, state, view, parameters, revision, updated_at)
      SELECT ${ANN.id}, ${ANN.id}, 'replaced', 'card', '{"prompt":"a fox","aspect_ratio":"16:9"}', 3, i FROM n`);
    database.close();
  };
  fill();
  const exportMs = await bestHoldMs(async () => {
    const watch = new LoopWatch();
    const json = await text(jsonDocument(bot.drafts.sections(ANN.id), 1e9));
    const held = watch.end();
    expect((JSON.parse(json) as { drafts: unknown[] }).drafts).toHaveLength(CARDS);
    return held;
  });
  expect(exportMs, "exported").toBeLessThan(HOLD_MAX_MS);
  const runs = erasures(bot);
  onTestFinished(() => runs.stop());
  runs.start();
  const erasureMs = await bestHoldMs(async () => {
    fill();
    const watch = new LoopWatch();
    await bot.accounts.personalData.askToErase(ANN.id, "telegram:7");
    await eventually("all is erased", () => bot.accounts.personalData.toErase().length === 0);
    return watch.end();
  });
  expect(erasureMs, "erased").toBeLessThan(HOLD_MAX_MS);
});

test("the export of 100 000 entries holds the event loop for at most 20 ms at a time", async () => {
  const world = openTestCore();
  await world.person(1, asKopecks(100_00));
  const database = new Sqlite(join(world.directory, "atelier.db"));
  database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
    INSERT INTO ledger_entry (account_id, kind, amount, balance_after, reason, actor, created_at)
    SELECT 1, 'credit', 1, 10000 + i, 'a reason', 'test', i FROM n`);
  database.close();
  const holdMs = await bestHoldMs(async () => {
    const watch = new LoopWatch();
    const json = await text(jsonDocument(accountSections(world.database, 1), 1e9));
    const held = watch.end();
    const { entries } = JSON.parse(json) as { entries: unknown[] };
    expect(entries.length).toBeGreaterThan(ENTRIES);
    return held;
  });
  expect(holdMs).toBeLessThan(HOLD_MAX_MS);
});
