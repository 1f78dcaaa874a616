import type { FaultCall } from "@atelier/telegram-sandbox";
import type { TelegramMessage } from "@gramio/types";
import { beforeEach, describe, expect, test } from "vitest";
import { table } from "../../src/database/table.js";
import { accountOf } from "../support/accounts.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});

const KEY = /atl_[\w-]{8}_[\w-]{43}/;

const accountIdOf = (userId: number) => accountOf(service.adminService, userId).id;

const livingKeys = (userId: number) =>
  service.adminService.keys(accountIdOf(userId)).filter(({ revoked_at }) => revoked_at === null);

/** The message that shows a whole key, while it is in the chat. */
const shownKey = (chatter: Chatter): TelegramMessage | undefined =>
  chatter.heard().find(({ text }) => KEY.test(text ?? ""));

const holdsKey = ({ params }: FaultCall) => KEY.test(String(params.text));
const isOnItsWay = ({ params }: FaultCall) => String(params.text).includes("on its way");

const firstPrefix = (userId: number) => eventually("a key", () => livingKeys(userId)[0]?.prefix);

describe("/keys", () => {
  test("shows a key in one message only, however often it had to be sent, and deletes both together", async () => {
    const ann = new Chatter(service.sandbox.person(ANN.id));
    ann.say("/keys");
    const { faults } = service.sandbox;
    faults.add({ method: "sendMessage", matches: isOnItsWay, answer: { type: "reset", when: "after" } });
    faults.add({ matches: holdsKey, answer: { type: "reset", when: "after" } });
    await ann.press("New key");
    await ann.seeButton(`🗑 ${await firstPrefix(ANN.id)}`);
    const [key, ...others] = ann.heard().flatMap(({ text }) => KEY.exec(text ?? "") ?? []);
    expect(others).toEqual([]);
    expect(JSON.stringify(service.lines)).not.toContain(key);
    await ann.press("Saved, remove");
    await eventually("the key is out of the chat", () => !shownKey(ann));
  });

  test("schedules the deletion of the message before the key is in it", async () => {
    const ann = new Chatter(service.sandbox.person(ANN.id));
    ann.say("/keys");
    const held = service.sandbox.hold("editMessageText", holdsKey);
    await ann.press("New key");
    await held.arrived();
    const [removal] = table("removal").all(service.database, {});
    held.release();
    const shown = await ann.seeButton("Copy the key");
    expect(removal).toMatchObject({ chat_id: ANN.id, message_id: shown.message_id });
  });

  test("revokes at once a key that may not have been seen, and deletes its message", async () => {
    const ann = new Chatter(service.sandbox.person(ANN.id));
    ann.say("/keys");
    const { faults } = service.sandbox;
    faults.add({ matches: holdsKey, answer: { type: "reset", when: "after" } });
    faults.add({ matches: holdsKey, answer: { type: "429", retryAfter: 60 } });
    await ann.press("New key");
    await ann.see("so I revoked it");
    expect(livingKeys(ANN.id)).toEqual([]);
    expect(shownKey(ann)).toBeUndefined();
    await ann.press("New key", "You have no keys yet");
    await ann.seeButton("Copy the key");
    expect(livingKeys(ANN.id)).toHaveLength(1);
  });
});
