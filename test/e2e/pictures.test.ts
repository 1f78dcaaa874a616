import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { GenerationTask } from "../../src/jobs/provider.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { beginImageInGroup } from "../support/group.js";
import { markedWebp } from "../support/picture.js";
import { ANN, startTestService, type TestService, TOKEN } from "../support/service.js";
import { aheadClock } from "../support/stub-clocks.js";

/** A clock of the system that can be put forward. */
let forwardMs = 0;
const clock = aheadClock(() => forwardMs);

let service: TestService;
/** What the provider read behind each reference, by task. */
let read: string[][];

beforeEach(async () => {
  forwardMs = 0;
  read = [];
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" }, overrides: { clock } });
  const { make } = service.provider;
  service.provider.make = async (task) => {
    read.push(await Promise.all(task.references.map(markOf)));
    return make(task);
  };
});
afterEach(async () => {
  const told = JSON.stringify(service.lines) + JSON.stringify(service.provider.tasks);
  // A link to Telegram's file server holds the token: neither the log nor a provider may see one.
  expect(told).not.toContain(TOKEN);
  expect(told).not.toContain("/file/bot");
});

const ann = () => new Chatter(service.sandbox.person(ANN.id));

/** What stands behind the last chunk of a picture, which tells one from the other. */
async function markOf(path: string): Promise<string> {
  return /mark-\w+/.exec((await readFile(path)).toString("latin1"))?.[0] ?? "";
}

function task(index = 0): Promise<GenerationTask> {
  return eventually(`task ${index}`, () => read.length > index && service.provider.tasks[index]);
}

function ownLinks(count: number): unknown[] {
  return Array.from({ length: count }, () => expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\//));
}

describe("a photo in a private chat", () => {
  test("with a caption opens an image card with both, at the price with references", async () => {
    const one = ann();
    one.say("/image");
    await one.choose("GPT Image 2.5");
    one.say("a hat");
    await one.press("✅ Generate · 6\u00a0₽");
    await task(0);

    one.person.sendPhoto(markedWebp("mark-a"), { caption: "the same in <blue>" });
    const card = await one.seeButton("✅ Generate · 8\u00a0₽", "the same in <blue>");
    expect(labelsOf(card)).toContain("Photos: 1/16");
    await one.press("✅ Generate · 8\u00a0₽", "the same in <blue>");
    const { request } = await task(1);
    expect(request).toMatchObject({
      model_key: "gpt-image-2-5",
      prompt: "the same in <blue>",
      reference_urls: ownLinks(1),
    });
    expect(read[1]).toEqual(["mark-a"]);
    expect(service.balanceOf(ANN.id)).toBe(1000 - 6 - 8);
  });

  test("without a caption asks for the prompt; a model without pictures is replaced by one with them", async () => {
    const one = ann();
    one.say("/image");
    await one.choose("Z-Image Turbo");
    one.say("a hat");
    await one.press("✅");
    await task(0);
    one.person.sendPhoto(markedWebp("mark-a"));
    const card = await one.see("what to do with the photo");
    expect(card.text).toContain("Nano Banana 2.1");
    expect(labelsOf(card)).toContain("Photos: 1/14");
    expect(labelsOf(card).some((label) => label.startsWith("✅"))).toBe(false);
    one.say("in winter");
    await one.press("✅", "in winter");
    await task(1);
    expect(read[1]).toEqual(["mark-a"]);
  });

  test("is added to the open card, can be removed again, and the price follows at once", async () => {
    const one = ann();
    one.say("/image a tower");
    await one.choose("GPT Image 2.5");
    await one.seeButton("✅ Generate · 6\u00a0₽", "a tower");
    one.person.sendPhoto(markedWebp("mark-a"));
    await one.seeButton("✅ Generate · 8\u00a0₽", "a tower");
    one.person.sendDocument(markedWebp("mark-b"), { fileName: "b.webp", mimeType: "image/webp" });
    await one.press("Photos: 2/16");
    await one.press("🗑 1");
    await one.see((message) => {
      const labels = labelsOf(message);
      return labels.includes("🗑 1") && !labels.includes("🗑 2");
    });
    await one.press("Back");
    await one.press("✅ Generate · 8\u00a0₽", "Photos: 1/16");
    await task();
    expect(read[0]).toEqual(["mark-b"]);
  });
});

describe("several pictures", () => {
  test("of an album become references in their order, on one card", async () => {
    const one = ann();
    const album = ["a", "b", "c"].map((mark) => markedWebp(`mark-${mark}`));
    one.person.sendAlbum(album, { caption: "all of them at a table" });
    await one.press("✅", "Photos: 3/14");
    await task();
    expect(read[0]).toEqual(["mark-a", "mark-b", "mark-c"]);
    expect(service.provider.tasks[0]?.request.prompt).toBe("all of them at a table");
    const cards = service.sandbox.calls.filter(({ method }) => method === "sendMessage");
    expect(cards.length).toBeLessThanOrEqual(2);
  });

  test("that are paid while the card is sent again leave the status message and no other card", async () => {
    const one = ann();
    one.person.sendAlbum([markedWebp("mark-a"), markedWebp("mark-b")], { caption: "both at a table" });
    const card = await one.seeButton("✅");
    const held = service.sandbox.hold("sendMessage");
    await held.arrived();
    service.provider.holds = true;
    await (await one.press("✅")).answered();
    await one.see(({ edit_date }) => edit_date !== undefined);
    await (await one.press("✅")).answered();
    await eventually("the task", () => service.provider.held.length === 1);
    held.release();
    const { params } = await service.sandbox.waitForCall("deleteMessage");
    expect(params.message_id).not.toBe(card.message_id);
    expect(one.heard().map(({ message_id }) => message_id)).toEqual([card.message_id]);
    service.provider.holds = false;
    for (const waiting of service.provider.held) waiting.finish();
    await one.see(({ photo }) => photo !== undefined);
  });

  test("over the model's limit are reported once, and a model that takes more gets them all", async () => {
    const one = ann();
    one.say("/image a table");
    await one.choose("Nano Banana 2 Lite");
    await one.seeButton("✅", "a table");
    one.person.sendAlbum("abcdef".split("").map((mark) => markedWebp(`mark-${mark}`)));
    const cut = await one.see("Only the first 4 of 6\u00a0photos are used");
    expect(cut.text).toContain("Nano Banana 2.1 (14)");
    expect(one.heard().filter(({ text = "" }) => text.includes("Only the first 4"))).toHaveLength(1);
    await one.press("✅", "Photos: 4/4");
    await task();
    expect(read[0]).toEqual(["mark-a", "mark-b", "mark-c", "mark-d"]);
    const result = await one.seeButton("Adjust");
    one.person.tap(result, "Adjust");
    await one.press("🎨 Model", "Photos: 4/4");
    await one.press("Nano Banana 2.1");
    await one.seeButton("Photos: 6/14");
  });
});

describe("a link", () => {
  const LINK = "https://example.com/cat.png";

  test("is a reference where the card takes pictures, and is passed to the core unchanged", async () => {
    const one = ann();
    one.say("/image a cat like this");
    one.say(`${LINK} https://example.com/dog.png`);
    await one.press("Photos: 2/14", "a cat like this");
    await one.see(LINK);
    one.say("a kitten in a basket");
    await one.see("Photos: send me a photo");
    await one.press("Back", LINK);
    await one.press("✅", "Photos: 2/14");
    await eventually("an accepted order", () => service.balanceOf(ANN.id) === 990);
  });

  test.each([
    ["http://example.com/cat.png", "must start with https"],
    ["https://example.com:port/cat.png", "isn’t a complete link"],
  ])("%s is rejected when sent, with the reason, and occupies no field", async (link, words) => {
    const one = ann();
    const { message_id: before } = one.say(link);
    await one.see(words, before);
    const { message_id: command } = one.say(`/image ${link}`);
    await one.see(words, command);
    const { message_id: onCard } = one.say(`${LINK} ${link}`);
    await one.see(words, onCard);
    await one.press("More");
    await one.press("Photos: —");
    await one.seeButton("Back", "links that start with https://");
    const { message_id: onPage } = one.say(link);
    await one.see(words, onPage);
    one.say(LINK);
    await one.seeButton("Photos: 1/14");
  });

  test.each([
    ["https://192.168.0.1/cat.png", "private network"],
    ["https://user:secret@example.com/cat.png", "links to pictures is broken"],
  ])("%s is rejected at payment in plain words, and nothing is charged", async (link, words) => {
    const one = ann();
    one.say("/image a cat like this");
    one.say(link);
    await one.seeButton("✅", "Photos: 1/14");
    const { calls } = service.sandbox;
    const before = calls.length;
    const tap = await one.press("✅", "Photos: 1/14");
    const answer = await tap.answered();
    expect(answer.text).toContain(words);
    expect(answer.show_alert).toBe(true);
    expect(service.balanceOf(ANN.id)).toBe(1000);
    // The card has become a new revision.
    await service.sandbox.waitForCall("editMessageText", (call) => calls.indexOf(call) >= before);
    await one.press("Photos: 1/14");
    await one.press("Remove all");
    await one.see((message) => labelsOf(message).includes("Images: 1"));
    await one.press("✅");
    await task();
  });
});

describe("an order with pictures", () => {
  test("that is paid after its links have expired gets new ones", async () => {
    const one = ann();
    one.person.sendPhoto(markedWebp("mark-a"), { caption: "a red door" });
    await one.seeButton("✅", "a red door");
    forwardMs = 5 * 3600 * 1000;
    await one.press("✅", "a red door");
    await task();
    expect(read[0]).toEqual(["mark-a"]);
  });

  test("can be repeated a day later", async () => {
    const one = ann();
    one.person.sendPhoto(markedWebp("mark-a"), { caption: "a red door" });
    await one.press("✅", "a red door");
    const result = await one.seeButton("Adjust");
    forwardMs = 24 * 3600 * 1000;
    one.person.tap(result, "Adjust");
    await one.press("✅", "Photos: 1/14");
    await task(1);
    expect(read).toEqual([["mark-a"], ["mark-a"]]);
    expect(service.balanceOf(ANN.id)).toBe(980);
  });

  test("whose picture Telegram does not return at that moment charges nothing, and can be paid later", async () => {
    const one = ann();
    one.person.sendPhoto(markedWebp("mark-a"), { caption: "a red door" });
    await one.seeButton("✅", "a red door");
    forwardMs = 5 * 3600 * 1000;
    const fault = service.sandbox.faults.add({
      method: "getFile",
      answer: {
        type: "status",
        code: 400,
        description: "Bad Request: wrong file_id or the file is temporarily unavailable",
      },
    });
    const tap = await one.press("✅", "a red door");
    expect((await tap.answered()).text).toContain("send it again");
    expect(fault.struck).toBe(1);
    expect(service.balanceOf(ANN.id)).toBe(1000);
    await one.press("✅", "a red door");
    await task();
    expect(service.balanceOf(ANN.id)).toBe(990);
  });
});

describe("an unusable picture", () => {
  test("is rejected politely, and the card stays unchanged", async () => {
    const one = ann();
    one.say("a tower");
    await one.seeButton("✅", "a tower");
    one.person.sendDocument(Buffer.from("GIF89a"), { fileName: "a.gif", mimeType: "image/gif" });
    await one.see("PNG, JPEG or WebP");
    const { message_id } = one.person.sendDocument(Buffer.from("no picture at all"), {
      fileName: "a.png",
      mimeType: "image/png",
    });
    await one.see("send the picture as a photo", message_id);
    one.person.sendDocument(Buffer.alloc(20 * 1024 * 1024 + 1, 1), {
      fileName: "b.png",
      mimeType: "image/png",
    });
    await one.see("up to 20\u00a0MB");
    const last = one.person.sendSticker(Buffer.from("sticker"));
    await one.see("don’t understand stickers", last.message_id);
    one.person.sendVideo(Buffer.from("video"));
    await one.press("✅", "a tower");
    expect((await task()).request).not.toHaveProperty("reference_urls");
  });
});

test("in a group only a picture that replies to the bot is accepted", async () => {
  const one = new Chatter(service.sandbox.person(ANN.id), service.sandbox.groupId);
  await beginImageInGroup(service, one, "a garden");
  await one.press("More", "a garden");
  await one.press("Photos: —");
  const question = await one.see("Which photos should I use? 🖼");
  const chat = service.sandbox.groupId;
  one.person.sendPhoto(markedWebp("mark-no"), { chat });
  one.person.sendPhoto(markedWebp("mark-yes"), { chat, replyTo: question.message_id });
  await one.press("✅", "Photos: 1/14");
  await task();
  expect(read[0]).toEqual(["mark-yes"]);
});
