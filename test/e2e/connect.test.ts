import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeBackup } from "../../src/backup/make-backup.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { startFrontEnd, startRemoteCore } from "../support/remote-core.js";
import { ANN, BORIS } from "../support/service.js";
import { wordsInFiles } from "../support/words-in.js";

/** The bot in front of this project's own service, where each of two accounts has a key. */
async function start() {
  const core = await startRemoteCore(500, { accounts: 2 });
  const encryptionKey = randomBytes(32).toString("base64");
  const environment = { ENCRYPTION_KEY: encryptionKey };
  const front = await startFrontEnd({ url: core.url, key: "", environment });
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

test("a start with somebody's own key as CORE_API_KEY waits for the orders of people's own accounts", async () => {
  const { core, front, ann, annsKey } = await start();
  await connect(ann, annsKey);
  core.provider.holds = true;
  await order(ann);
  const held = await eventually("the job is begun", () => core.provider.held[0]);
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
