import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeBackup } from "../../src/backup/make-backup.js";
import { type Clock, systemClock } from "../../src/platform/clock.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { type RemoteCore, startFrontEnd, startRemoteCore } from "../support/remote-core.js";
import { ANN, BORIS } from "../support/service.js";
import { wordsInFiles } from "../support/words-in.js";

const newEncryptionKey = () => randomBytes(32).toString("base64");

/** Waits a twentieth of the time, so that a doubt about a key is soon over. */
const HASTY: Clock = { ...systemClock, after: (delayMs, fire) => systemClock.after(delayMs / 20, fire) };

/** The bot in front of this project's own service, where each of two accounts has a key. */
async function start({ clock }: { clock?: Clock } = {}) {
  const core = await startRemoteCore(500, { accounts: 2 });
  const encryptionKey = newEncryptionKey();
  const environment = { ENCRYPTION_KEY: encryptionKey };
  const front = await startFrontEnd({ url: core.url, key: "", environment, ...(clock && { clock }) });
  const ann = new Chatter(front.sandbox.person(ANN.id));
  const boris = new Chatter(front.sandbox.person(BORIS.id));
  const [annsKey = "", borisKey = ""] = core.accounts.keys;
  return { core, front, encryptionKey, ann, boris, annsKey, borisKey };
}

async function connect(chatter: Chatter, key: string): Promise<void> {
  const { message_id } = chatter.say(`/connect ${key}`);
  await chatter.see(/✅/, message_id);
  await eventually("the key is out of the chat", () => !hasText(chatter, key));
}

function hasText(chatter: Chatter, text: string): boolean {
  return chatter.person.messages(chatter.chat).some((message) => message.text?.includes(text));
}

async function order(chatter: Chatter): Promise<void> {
  chatter.say("/image a red fox");
  await chatter.press(/^✅/);
}

/** An order that is being made, and the price that was paid for it. */
async function beginOrder(core: RemoteCore, chatter: Chatter) {
  core.provider.holds = true;
  const before = core.provider.held.length;
  await order(chatter);
  return eventually("the job is begun", () => core.provider.held[before]);
}

describe("a key that changes while an order is open", () => {
  test("stopped: its person is asked for another one, and the order goes on with it", async () => {
    const { core, ann, annsKey } = await start({ clock: HASTY });
    await connect(ann, annsKey);
    const held = await beginOrder(core, ann);
    await core.accounts.revokeKeys(1);
    held.finish();
    await ann.see(/no longer works.*open order waits/s, 0);
    expect(ann.photos()).toEqual([]);
    ann.say("/balance");
    await ann.see(/First connect/);
    const anew = await core.accounts.newKey(1);
    ann.say(`/connect ${anew}`);
    await ann.see(/order that was waiting goes on/);
    await ann.seePhoto();
  });

  test("taken over by CORE_API_KEY: the start waits for the orders of people's own accounts", async () => {
    const { core, front, ann, annsKey } = await start();
    await connect(ann, annsKey);
    const held = await beginOrder(core, ann);
    const shared = { CORE_API_KEY: annsKey };
    await expect(front.restart(shared)).rejects.toThrow(/^CORE_API_KEY: 1 open orders/);
    await front.restart();
    held.finish();
    await ann.seePhoto();
    await eventually("the order is closed", () => front.lines.some(({ msg }) => msg === "order delivered"));
    await front.restart(shared);
    ann.say("/balance");
    await ann.see(/balance you share/);
  });
});

test("ENCRYPTION_KEY keeps keys out of every file of DATA_DIR, of a backup, and of the log", async () => {
  const { core, front, encryptionKey, ann, boris, annsKey, borisKey } = await start();
  await connect(ann, annsKey);
  boris.say("/connect");
  await boris.see(/🔑/);
  boris.say("вот он");
  await boris.see(/не похоже/);
  boris.say(`вот он: ${borisKey}`);
  await boris.see(/Ваш баланс/);
  await order(ann);
  await ann.seePhoto();
  const backup = { dataDir: front.dataDir, target: join(front.dataDir, "backup"), hasMedia: true };
  await makeBackup({ ...backup, program: "1.2.3", clock: systemClock });
  const secrets = [annsKey, borisKey, encryptionKey];
  expect(wordsInFiles(front.dataDir, secrets)).toEqual([]);
  // The search finds what is there.
  expect(wordsInFiles(front.dataDir, ["red fox"])).not.toEqual([]);
  for (const secret of secrets) expect(JSON.stringify(front.lines)).not.toContain(secret);
  expect(core.provider.tasks).toHaveLength(1);
});
