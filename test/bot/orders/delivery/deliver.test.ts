import { type GrammyError, HttpError } from "grammy";
import type { Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { Deliver } from "../../../../src/bot/orders/delivery/deliver.js";
import { sentFile } from "../../../../src/bot/orders/delivery/file-sender.js";
import { UnreadableAnswerError, UnreadableFileError } from "../../../../src/bot/telegram/files.js";
import { ContractError, Unavailable } from "../../../../src/contract/errors.js";
import type { JobId } from "../../../../src/contract/job.js";
import { asKopecks } from "../../../../src/contract/price.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { brokenConnection, openBotWorld, refusal } from "../../../support/bot-world.js";
import { money, t } from "../../../support/drafts.js";
import { failOnce } from "../../../support/fail-once.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { fakeFile } from "../../../support/fake-job.js";
import { type ApiCall, FakeTelegram } from "../../../support/fake-telegram.js";
import { recordingLogger } from "../../../support/log.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

const GROUP = -1001;
const TOPIC = 5;
const IN_TOPIC = { chatId: GROUP, threadId: TOPIC };
const MEGABYTE = 1024 * 1024;

interface Piece {
  hasFailed?: boolean;
  /** As a copy of the service tells that has not heard of its end. */
  goesOn?: boolean;
  size?: number;
  /** Bytes of the file that it was made of. */
  originalSize?: number;
  /** What opening its file fails with. */
  fault?: Error;
  isGone?: boolean;
}

interface Payload {
  chat_id: number;
  message_thread_id?: number;
  text?: string;
  caption?: string;
  media?: { caption?: string }[];
  reply_markup?: { inline_keyboard: unknown[][] };
}

/** What a test sees of a call; `files` is how many it carries. */
function factsOf({ method, payload }: ApiCall) {
  const { chat_id: chat, message_thread_id: thread, media, ...sent } = payload as unknown as Payload;
  const isMessage = method === "sendMessage";
  return {
    method,
    chat,
    thread,
    text: sent.text ?? sent.caption ?? media?.[0]?.caption,
    files: isMessage ? 0 : (media?.length ?? 1),
    buttons: sent.reply_markup?.inline_keyboard.flat().length ?? 0,
  };
}

/** An order of such pieces, whose jobs have ended, in front of a fake Telegram. */
async function openDelivery(
  pieces: readonly Piece[],
  place: { chatId?: number; threadId?: number } = {},
  refundsLostFiles = true,
  failedWrite = "delivery-files",
) {
  const world = openBotWorld(failOnce("commit:before", failedWrite));
  const { orders } = world;
  const telegram = new FakeTelegram();
  const service = new FakeService({ refundsLostFiles, linkRoot: "http://127.0.0.1:8080/" });
  service.gateway().kopecks = asKopecks(90_00);
  for (const { hasFailed, goesOn, size = 1000, originalSize, fault, isGone } of pieces) {
    const job = service.addJob();
    const original = { kind: "original", mime: "image/png", fileName: `own-${job.id}.png` } as const;
    if (hasFailed) job.fail();
    else if (!goesOn)
      job.finish([
        { ...fakeFile({ mime: "image/webp", size }), fault },
        ...(originalSize === undefined ? [] : [fakeFile({ ...original, size: originalSize })]),
      ]);
    if (isGone) service.loseFiles(job.id);
  }
  const { logger, lines } = recordingLogger();
  /** The jobs of each refund that was asked for. */
  const refunds = (): (readonly JobId[])[] => service.lostRefunds.map(({ jobIds }) => jobIds);
  const bot = openBotGround({ world, telegram, service }, { logger });
  const deliver = new Deliver(bot);
  const claimed = await world.claimedOrder("one", place);
  const jobIds = pieces.map((_, at) => at + 1);
  await orders.accept(claimed, jobIds);
  await orders.finishJobs(claimed);
  const row = () => {
    const delivery = orders.findDelivery("one");
    if (!delivery) throw new Error("no delivery");
    return delivery;
  };
  /** The first write fails: what was sent must be written all the same. */
  const send = () => deliver.send(row(), (write) => write().catch(write));
  /** The methods of the calls since this was asked last. */
  const calls = () => telegram.calls.filter(({ method }) => method !== "getMe").map(factsOf);
  const methods = () => {
    const made = calls().map(({ method }) => method);
    telegram.calls.length = 0;
    return made;
  };
  return {
    ...world,
    deliver,
    service,
    telegram,
    calls,
    refunds,
    lines,
    row,
    send,
    methods,
  };
}

const tooOften = refusal(429, "Too Many Requests: retry after 1", { retry_after: 1 });
const saying = ({ description }: GrammyError) => ({ description });
const topicGone = refusal(400, "Bad Request: message thread not found");
const failed: Piece = { hasFailed: true };
const gone: Piece = { isGone: true };
const large: Piece = { size: 11 * MEGABYTE };

test.each([
  ["tells no balance in a group", IN_TOPIC, false],
  ["tells the balance in private", {}, true],
])("what is said of files and of what has failed %s", async (_where, place, isTold) => {
  for (const pieces of [[{}], [{}, failed]]) {
    const { send, calls } = await openDelivery(pieces, place);
    await send();
    expect(calls().some(({ text }) => text?.includes("90\u00a0₽"))).toBe(isTold);
  }
});

test("what has failed is told with what its person owes still", async () => {
  const { send, service, calls } = await openDelivery([failed]);
  service.gateway().balance = async () => ({ currency: "RUB", amount: 0, owed: 290 });
  await send();
  expect(calls().at(-1)?.text).toContain(t("balance-debt", { debt: money(290_00) }));
});

describe("the files of an order", () => {
  test("do not wait for a balance that cannot be read", async () => {
    const { send, service, calls } = await openDelivery([{}]);
    service.failNext("balance", new Unavailable("unreachable"));
    expect(await send()).toBe("made");
    expect(calls()).toMatchObject([{ method: "sendPhoto", text: expect.not.stringContaining("90\u00a0₽") }]);
  });

  test("that are documents go as their originals, as far as these can be uploaded", async () => {
    const { send, telegram } = await openDelivery([
      { ...large, originalSize: 20 * MEGABYTE },
      { ...large, originalSize: 60 * MEGABYTE },
      { ...large, originalSize: 15 * MEGABYTE },
      { originalSize: 2 * MEGABYTE },
    ]);
    telegram.readsUploads = true;
    expect(await send()).toBe("made");
    expect(telegram.uploads.map(({ name, content }) => [name, content])).toEqual([
      ["result-0.jpg", "result-0"],
      ["own-1.png", "own-1.png"],
      ["result-0", "result-0"],
      ["own-3.png", "own-3.png"],
    ]);
  });

  test("that are one picture are written by the commit that closes the order", async () => {
    const { send, methods, row } = await openDelivery([{}], {}, true, "delivery-end");
    expect(await send()).toBe("made");
    expect(methods()).toEqual(["sendPhoto"]);
    expect(row()).toMatchObject({ state: "sent", files: [{ index: 0 }] });
  });

  test("that are in the chat are written before anything else is sent, and never sent again", async () => {
    const { send, calls, telegram, row } = await openDelivery([{}, {}, large]);
    telegram.failNext("sendDocument", tooOften);
    await expect(send()).rejects.toMatchObject(saying(tooOften));
    expect(row().files.map(({ index }) => index)).toEqual([0, 1]);
    telegram.failNext("sendMessage", tooOften);
    await expect(send()).rejects.toMatchObject(saying(tooOften));
    expect(row().files.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(await send()).toBe("made");
    expect(calls().map(({ method }) => method)).toEqual([
      "sendMediaGroup",
      "sendDocument",
      "sendDocument",
      "sendMessage",
      "sendMessage",
    ]);
    expect(calls().at(-1)?.text).toContain("3");
  });

  test("have their words once, under the first of them", async () => {
    const { send, calls } = await openDelivery([{}, large]);
    await send();
    expect(
      calls()
        .slice(0, 2)
        .map(({ text }) => text?.includes("a fox")),
    ).toEqual([true, undefined]);
  });

  test.each<[string, Piece[], boolean, number[]]>([
    ["one that is whole carries its buttons, and nothing more is said", [{}], true, [5]],
    ["with a failure the buttons stand beneath, where it is told", [{}, failed], true, [0, 5]],
    ["where all failed one can try again, or another model", [failed, failed], false, [2]],
  ])("%s", async (_what, pieces, isDone, buttons) => {
    const { send, calls } = await openDelivery(pieces);
    expect(await send()).toBe(isDone ? "made" : "nothing_made");
    expect(calls().map((call) => call.buttons)).toEqual(buttons);
  });

  test("come with fewer buttons rather than later where the list of models is out of reach", async () => {
    const { send, calls, service } = await openDelivery([{}]);
    service.failNext("models", new Unavailable("unreachable"));
    expect(await send()).toBe("made");
    expect(calls().map(({ buttons }) => buttons)).toEqual([2]);
  });

  test("go to the topic that they were ordered in with what is said of them, and to none of another chat", async () => {
    const { send, orders, calls } = await openDelivery([{}, failed], IN_TOPIC);
    await send();
    await orders.saveFiles("one", [], GROUP);
    await orders.moveDelivery("one", 7);
    await send();
    const places = calls().map(({ chat, thread }) => [chat, thread]);
    expect(places).toEqual([GROUP, GROUP, 7, 7].map((chat) => [chat, chat === GROUP ? TOPIC : undefined]));
  });

  test("whose caption Telegram finds too long come without it, once", async () => {
    const tooLong = refusal(400, "Bad Request: message caption is too long");
    const { send, calls, telegram } = await openDelivery([{}]);
    telegram.failNext("sendPhoto", tooLong);
    expect(await send()).toBe("made");
    expect(calls()).toMatchObject([
      { method: "sendPhoto", text: expect.any(String) },
      { method: "sendPhoto", text: undefined },
    ]);
  });

  test("are opened once, and closed where they are not sent", async () => {
    const { send, service, telegram } = await openDelivery([{}, { size: 51 * MEGABYTE }, large]);
    telegram.readsUploads = true;
    await send();
    expect(telegram.uploads).toHaveLength(2);
    await turnOfEvents();
    expect(service).toMatchObject({ opened: 3, openFiles: 0 });
  });

  test("are documents, with the bytes of the service, where only these show all of a picture", async () => {
    const { send, service, telegram, methods } = await openDelivery([{ originalSize: 2000 }, {}]);
    telegram.readsUploads = true;
    const [picture] = service.jobs.get(1)?.files ?? [];
    if (picture) picture.openedFacts = { isDocument: true };
    expect(await send()).toBe("made");
    expect(methods().slice(0, 2)).toEqual(["sendPhoto", "sendDocument"]);
    expect(telegram.uploads).toContainEqual({ name: "own-1.png", content: "own-1.png" });
    await turnOfEvents();
    expect(service).toMatchObject({ opened: 3, openFiles: 0 });
  });

  test.each([
    ["in another form", "kept", "own-1.png", 2],
    ["as the pictures where their originals are lost", "lost", "result-0", 1],
  ] as const)("are read %s when Telegram refuses the first", async (_how, state, name, opened) => {
    const { send, service, telegram, methods } = await openDelivery([{ originalSize: 2000 }]);
    telegram.readsUploads = true;
    for (const file of service.jobs.get(1)?.files ?? [])
      if (file.facts.kind === "original") file.state = state;
    telegram.failNext("sendPhoto", refusal(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
    expect(await send()).toBe("made");
    expect(methods()).toEqual(["sendPhoto", "sendDocument"]);
    expect(telegram.uploads).toEqual([{ name, content: name }]);
    await turnOfEvents();
    expect(service).toMatchObject({ opened, openFiles: 0 });
  });

  test("whose size is told only when they are open go together as far as they fit", async () => {
    const { send, service, calls } = await openDelivery([{}, {}, {}, {}, {}]);
    const sizes = [2000, 51 * MEGABYTE, 11 * MEGABYTE, 3000, undefined];
    for (const [at, size] of sizes.entries())
      for (const file of service.jobs.get(at + 1)?.files ?? []) {
        const { size: _, ...facts } = file.facts;
        Object.assign(file, { facts, openedFacts: { size } });
      }
    expect(await send()).toBe("made");
    expect(calls()).toMatchObject([
      { method: "sendMediaGroup", files: 2 },
      { method: "sendPhoto", files: 1 },
      { method: "sendDocument", files: 1 },
      { method: "sendMessage", text: expect.stringContaining("It’s 51\u00a0MB") },
    ]);
  });

  test.each([
    ["the disk does not give one out", new Error("EIO")],
    ["the core has a fault", new ContractError("internal_error")],
  ])("all wait while %s: it is not gone", async (_why, fault) => {
    const { send, calls, service } = await openDelivery([{}, { fault }]);
    await expect(send()).rejects.toBe(fault);
    expect(calls()).toEqual([]);
    for (const file of service.jobs.get(2)?.files ?? []) file.fault = undefined;
    await send();
    expect(calls()).toMatchObject([{ method: "sendMediaGroup", files: 2 }, { method: "sendMessage" }]);
  });

  test("that are kept no more are told of, and hold up none of the others", async () => {
    const { send, calls, refunds } = await openDelivery([{}, gone]);
    expect(await send()).toBe("made");
    const words = expect.stringMatching(
      /no longer kept[\s\S]*money is back:<\/b> 10\u00a0₽[\s\S]*Balance: \d+/,
    );
    expect(calls()).toMatchObject([{ method: "sendPhoto" }, { text: words }]);
    expect(refunds()).toEqual([[2]]);
  });

  test("that are all gone are paid back before that is told, and once more asked for when it could not be", async () => {
    const { send, calls, refunds, telegram } = await openDelivery([gone, failed, gone]);
    telegram.failNext("sendMessage", tooOften);
    await expect(send()).rejects.toMatchObject(saying(tooOften));
    expect(await send()).toBe("lost");
    expect(refunds()).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(calls().at(-1)?.text).toContain("is back:</b> 20\u00a0₽");
    expect(calls().at(-1)?.text).not.toContain("@help");
  });

  test("that have expired once, and are gone since, are not paid back", async () => {
    const { orders, send, calls, refunds } = await openDelivery([gone]);
    await orders.endDelivery("one", "expired", "blocked", false);
    expect(await send()).toBe("lost");
    expect(refunds()).toEqual([]);
    expect(calls()).toMatchObject([{ text: expect.stringContaining("@help") }]);
  });

  test("are told without a refund where the service pays nothing back", async () => {
    const { send, calls } = await openDelivery([gone], undefined, false);
    expect(await send()).toBe("lost");
    expect(calls()).toMatchObject([{ text: expect.stringContaining("@help") }]);
    expect(calls()[0]?.text).not.toContain("is back");
  });
});

/** An album of which nobody knows what has arrived. */
const inPart = refusal(
  400,
  'Bad Request: failed to send message #1 with the error message "Too Many Requests: retry after 8"',
);
const tooLarge = refusal(413, "Request Entity Too Large");
const always = (fault: Error) => Array.from({ length: 100 }, () => fault);

describe("an upload that breaks off while Telegram answers other calls", () => {
  test("is tried as an album, then alone, then as a document, and ends with words and a record", async () => {
    const { send, telegram, methods, calls, row, lines } = await openDelivery([{}, {}]);
    for (const method of ["sendMediaGroup", "sendPhoto", "sendDocument"])
      telegram.failNext(method, ...always(brokenConnection()));
    for (let times = 1; times <= 2; times += 1) {
      await expect(send()).rejects.toMatchObject({ name: "UploadError", times });
      expect(methods()).toEqual(["sendMediaGroup"]);
    }
    for (let times = 3; times <= 5; times += 1) {
      await expect(send()).rejects.toMatchObject({ times });
      expect(methods()).toEqual(["sendPhoto", "sendPhoto"]);
    }
    for (let times = 6; times <= 7; times += 1) {
      await expect(send()).rejects.toMatchObject({ times });
      expect(methods()).toEqual(["sendDocument", "sendDocument"]);
    }
    expect(await send()).toBe("made");
    const told = calls().at(-1);
    expect(methods()).toEqual(["sendDocument", "sendDocument", "sendMessage"]);
    expect(told?.text).toContain(
      "Image 1 is ready, but Telegram keeps interrupting the upload. It isn’t lost",
    );
    expect(told?.text).toContain("@help");
    expect(told?.buttons).toBe(2);
    expect(row().files).toEqual([]);
    const records = lines.filter(({ level }) => level === 50);
    expect(records.map(({ order_id, job_id, bytes }) => [order_id, job_id, bytes])).toEqual([
      ["one", 1, 1000],
      ["one", 2, 1000],
    ]);
  });

  test("holds up none of the others, which are sent once", async () => {
    const { send, telegram, methods, calls, row } = await openDelivery([{}, large, large]);
    telegram.failNext("sendMediaGroup", ...always(brokenConnection()));
    await expect(send()).rejects.toThrow("upload failed");
    await expect(send()).rejects.toThrow("upload failed");
    expect(methods()).toEqual(["sendPhoto", "sendMediaGroup", "sendMediaGroup"]);
    await send();
    expect(calls().map(({ method, files }) => [method, files])).toEqual([
      ["sendDocument", 1],
      ["sendDocument", 1],
      ["sendMessage", 0],
    ]);
    expect(row().files.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test.each([
    ["Telegram is not reached", brokenConnection(), brokenConnection()],
    ["Telegram itself has a fault", brokenConnection(), refusal(502, "Bad Gateway")],
    [
      "the file cannot be read",
      new HttpError("network", new UnreadableFileError(new Error("EIO"))),
      undefined,
    ],
    ["a proxy answers with a fault", new HttpError("network", new UnreadableAnswerError(502)), undefined],
  ])("is waited out, however often, where %s", async (_why, fault, unreached) => {
    const { send, telegram, methods, row } = await openDelivery([{}, {}]);
    if (unreached) telegram.failNext("getMe", ...always(unreached));
    telegram.failNext("sendMediaGroup", ...always(fault));
    for (let time = 1; time <= 20; time += 1) await expect(send()).rejects.toBe(fault);
    expect(row().upload_failures).toEqual([]);
    telegram.recover();
    methods();
    await send();
    expect(methods()).toEqual(["sendMediaGroup", "sendMessage"]);
  });
});

describe("an album that Telegram refuses as photos and as documents", () => {
  const refused = refusal(
    400,
    'Bad Request: failed to send message #2 with the error message "MEDIA_INVALID"',
  );

  test("is sent file by file, and only the one that is refused stays out, with words and a record", async () => {
    const { send, telegram, methods, calls, row, lines } = await openDelivery([{}, {}, {}]);
    telegram.failNext("sendMediaGroup", refused, refused);
    await expect(send()).rejects.toMatchObject({ name: "UploadError", times: 2 });
    expect(methods()).toEqual(["sendMediaGroup", "sendMediaGroup"]);
    telegram.failNext("sendPhoto", refusal(400, "Bad Request: MEDIA_INVALID"));
    telegram.failNext("sendDocument", refusal(400, "Bad Request: MEDIA_INVALID"));
    expect(await send()).toBe("made");
    expect(calls().map(({ method }) => method)).toEqual([
      "sendPhoto",
      "sendDocument",
      "sendPhoto",
      "sendPhoto",
      "sendMessage",
    ]);
    expect(row().files.map(({ index }) => index)).toEqual([1, 2]);
    expect(calls().at(-1)?.text).toContain("Image 1 is ready");
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ order_id: "one", job_id: 1 }]);
  });

  test("goes to its person where the group refuses it", async () => {
    const { send, telegram, row } = await openDelivery([{}, {}], IN_TOPIC);
    telegram.failNext("sendMediaGroup", refused, refused);
    await expect(send()).rejects.toMatchObject(saying(refused));
    expect(row().upload_failures).toEqual([]);
  });
});

describe("a request that is too large for the server", () => {
  test("is divided, and never sent again as documents", async () => {
    const { send, telegram, methods } = await openDelivery([{}, {}]);
    telegram.failNext("sendMediaGroup", tooLarge);
    await expect(send()).rejects.toThrow("upload failed");
    await send();
    expect(methods()).toEqual(["sendMediaGroup", "sendPhoto", "sendPhoto", "sendMessage"]);
  });

  test("of one file is told at once, and holds up none of the others", async () => {
    const { send, telegram, methods, calls } = await openDelivery([{}, large]);
    telegram.failNext("sendDocument", tooLarge);
    expect(await send()).toBe("made");
    expect(calls().at(-1)?.text).toContain("Image 2 is ready, but");
    expect(methods()).toEqual(["sendPhoto", "sendDocument", "sendMessage"]);
  });
});

test("a file of unknown size that passes the limit is told as too large, also after a restart, and holds up no other", async () => {
  const { send, service, telegram, calls, methods, row, lines } = await openDelivery([{}, {}]);
  telegram.readsUploads = true;
  const megabyte = Buffer.alloc(MEGABYTE);
  for (const file of service.jobs.get(1)?.files ?? []) {
    const { size: _, ...facts } = file.facts;
    Object.assign(file, { facts, chunks: () => Array<Buffer>(60).fill(megabyte) });
  }
  telegram.failNext("sendMessage", tooOften);
  await expect(send()).rejects.toMatchObject(saying(tooOften));
  expect(methods()).toEqual(["sendPhoto", "sendPhoto", "sendMessage"]);
  expect(row().upload_failures).toMatchObject([{ index: 0, isTooLarge: true }]);
  const before = service.opened;
  expect(await send()).toBe("made");
  expect(service.opened).toBe(before);
  expect(calls()).toMatchObject([
    { method: "sendMessage", text: expect.stringContaining("over 48\u00a0MB") },
  ]);
  expect(row().files.map(({ index }) => index)).toEqual([1]);
  expect(lines.filter(({ level }) => level === 50)).toEqual([]);
});

test("an album that may have arrived in part is repeated whole once, then its files go one by one", async () => {
  const { send, telegram, methods } = await openDelivery([{}, {}, {}]);
  telegram.failNext("sendMediaGroup", ...always(inPart));
  telegram.failNext("sendPhoto", tooOften);
  await expect(send()).rejects.toMatchObject(saying(inPart));
  await expect(send()).rejects.toMatchObject(saying(inPart));
  expect(methods()).toEqual(["sendMediaGroup", "sendMediaGroup"]);
  await expect(send()).rejects.toMatchObject(saying(tooOften));
  await send();
  expect(methods()).toEqual(["sendPhoto", "sendPhoto", "sendPhoto", "sendPhoto", "sendMessage"]);
});

test("that a result waits for a private chat is told in the topic that it was ordered in, though it has moved", async () => {
  const { orders, deliver, row, calls } = await openDelivery([{}], IN_TOPIC);
  await orders.moveDelivery("one", 7);
  await deliver.askForPrivateChat(row());
  const text = expect.stringMatching(/^Ann, .*\/start/);
  expect(calls()).toMatchObject([{ chat: GROUP, thread: TOPIC, text }]);
  const inPrivate = await openDelivery([{}]);
  await inPrivate.deliver.askForPrivateChat(inPrivate.row());
  expect(inPrivate.calls()).toEqual([]);
});

test("that files can never be sent is told in their topic, in its group where it is gone, or where they have moved", async () => {
  const { orders, deliver, row, calls, telegram } = await openDelivery([{}], IN_TOPIC);
  await deliver.apologise(row());
  telegram.failNext("sendMessage", topicGone);
  await deliver.apologise(row());
  await orders.moveDelivery("one", 7);
  await deliver.apologise(row());
  const text = expect.stringContaining("@help");
  expect(calls()).toMatchObject([
    { chat: GROUP, thread: TOPIC, text },
    { chat: GROUP, thread: TOPIC },
    { chat: GROUP, thread: undefined, text },
    { chat: 7, thread: undefined, text },
  ]);
});

test("an order of which the service tells that a job goes on again waits for all of it, and nothing is sent", async () => {
  const { send, service, row, methods } = await openDelivery([{}, { goesOn: true }]);
  await expect(send()).rejects.toMatchObject({ reason: "unreachable" });
  expect([methods(), row().state]).toEqual([[], "pending"]);
  service.finish(2);
  expect(await send()).toBe("made");
  expect(row()).toMatchObject({ state: "sent", files: [{ index: 0 }, { index: 1 }] });
});

test.each([
  ["a photo, in its largest size", { photo: [{ file_id: "small" }, { file_id: "large" }] }, "photo", "large"],
  ["a video", { video: { file_id: "v" } }, "video", "v"],
  ["a video without sound", { animation: { file_id: "n" }, document: { file_id: "n" } }, "video", "n"],
  ["music", { audio: { file_id: "a" } }, "audio", "a"],
  ["a document", { document: { file_id: "d" } }, "document", "d"],
  ["a picture that was taken for a sticker", { sticker: { file_id: "s" } }, "document", "s"],
  ["something new", {}, "document", ""],
])("what was sent and became %s is known by its file id", (_what, message, as, fileId) => {
  const part = { index: 1, track: 2 };
  const sent = sentFile({ message_id: 9, ...message } as unknown as Message, part);
  expect(sent).toEqual({ ...part, messageId: 9, as, fileId });
});
