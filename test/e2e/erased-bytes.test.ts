import { join } from "node:path";
import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { makeBackup } from "../../src/backup/make-backup.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { newFolder } from "../support/new-folder.js";
import { markedWebp } from "../support/picture.js";
import { ADMIN, startTestService, TOKEN } from "../support/service.js";
import { wordsInFiles } from "../support/words-in.js";

/** Words that stand nowhere else. Each is written, or carried, once at least. */
const NAMES = { first_name: "Zebulonius", last_name: "Fitzwarrenby", username: "zebulon_wx" };
const SAID = {
  photo: "photomark-of-his-own",
  order: "an otter named Zanzibarina",
  draft: "a badger called Quillonica",
  refused: "SNICKERDOODLEQX",
  command: "blatherskitely",
  support: "my widget Quixotropia is blue",
  answer: "Flummoxery is on its way",
  reply: "thank you, Gramercyette",
  asked: "a verse of Vorpalesque",
};
const WORDS = [...Object.values(NAMES), ...Object.values(SAID)];

const found = (folder: string) => wordsInFiles(folder, WORDS);

test("no byte of what a person wrote, was written or was called is left once the bot has forgotten them", async () => {
  const person = { id: 104, language_code: "en", ...NAMES };
  const group = { title: "Desk", is_forum: true, bot_is_admin: true };
  const sandbox = await createSandbox({ token: TOKEN, people: [person, ADMIN], group });
  const environment = { EVENTS_CHAT_ID: String(sandbox.groupId) };
  const service = await startTestService({ sandbox, environment });
  // What the event chat is told of a new person waits.
  sandbox.faults.add({
    method: "sendMessage",
    matches: ({ params }) => String(params.text).includes("for the first time"),
    answer: { type: "status", code: 403, description: "Forbidden: bot was kicked from the supergroup chat" },
    times: Number.POSITIVE_INFINITY,
  });
  const zeb = new Chatter(sandbox.person(person.id));
  const desk = new Chatter(sandbox.person(ADMIN.id), sandbox.groupId);
  const admin = new Chatter(sandbox.person(ADMIN.id));

  zeb.say("/image");
  await zeb.seeButton("Model");
  zeb.person.sendPhoto(markedWebp(SAID.photo));
  await zeb.see("what to do with the photo");
  zeb.say(SAID.order);
  await zeb.press("✅");
  await zeb.seePhoto();
  zeb.say(`/promo ${SAID.refused}`);
  zeb.say(`/${SAID.command}`);
  zeb.say("/support");
  await zeb.see("What’s wrong?");
  zeb.say(SAID.support);
  const { message_thread_id: thread = 0 } = await desk.see(SAID.support);
  desk.say(SAID.answer, { thread });
  const { message_id: answer } = await zeb.see(SAID.answer);
  zeb.say(SAID.reply, { replyTo: answer });
  await desk.see(SAID.reply);
  admin.say(`/account ${person.id}`);
  await admin.press("Note");
  await admin.see("What to note about");
  zeb.say("/music");
  await zeb.press(/^🎤/u);
  zeb.say(SAID.asked);
  zeb.say("/image");
  zeb.say(SAID.draft);
  await zeb.seeButton(/^✅/);
  expect(new Set(found(service.directory).map((line) => line.split(": ")[1])).size).toBeGreaterThan(5);

  zeb.say("/settings");
  await zeb.press("My data");
  await zeb.press("Forget me");
  await zeb.press("Forget everything");
  await zeb.see("is erased");
  let left: readonly string[] = WORDS;
  await eventually("no word is left", () => {
    left = found(service.directory);
    return left.length === 0;
  }).catch(() => {});
  expect(left).toEqual([]);
  const folder = join(newFolder(), "one");
  const terms = { dataDir: service.directory, target: folder, hasMedia: true, program: "test" };
  await makeBackup({ ...terms, clock: systemClock });
  expect(found(folder)).toEqual([]);
  zeb.say("/balance");
  await zeb.see("90\u00a0₽");
});
