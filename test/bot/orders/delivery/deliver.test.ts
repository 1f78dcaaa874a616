import { type Api, HttpError } from "grammy";
import type { Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { Deliver } from "../../../../src/bot/orders/delivery/deliver.js";
import { DeliveryScheduler } from "../../../../src/bot/orders/delivery/delivery-scheduler.js";
import { sentFile } from "../../../../src/bot/orders/delivery/file-sender.js";
import { ChatActivity } from "../../../../src/bot/orders/tracking/chat-activity.js";
import type { FinalStatus } from "../../../../src/bot/orders/tracking/final-status.js";
import { UnreadableAnswerError } from "../../../../src/bot/telegram/fetch.js";
import { UnreadableFileError } from "../../../../src/bot/telegram/upload.js";
import { ContractError, Unavailable } from "../../../../src/contract/errors.js";
import type { JobId, JobStatus } from "../../../../src/contract/job.js";
import type { Gateways } from "../../../../src/ports/gateway.js";
import { brokenConnection, NEW_DRAFT, openBotWorld, refusal } from "../../../support/bot-world.js";
import { catalogue } from "../../../support/core.js";
import { texts } from "../../../support/drafts.js";
import { eventually } from "../../../support/eventually.js";
import { failOnce } from "../../../support/fail-once.js";
import { recordingLogger } from "../../../support/log.js";

const GROUP = -1001;
const TOPIC = 5;
const MEGABYTE = 1024 * 1024;

interface Piece {
  status?: JobStatus;
  size?: number;
  /** What looking at its file fails with. */
  fault?: Error;
}

interface Call {
  method: string;
  chat: number;
  thread: number | undefined;
  text: string | undefined;
  /** How many files it carries. */
  files: number;
  buttons: number;
}

interface Media {
  caption?: string;
}

interface Options extends Media {
  message_thread_id?: number;
  reply_markup?: { inline_keyboard: unknown[][] };
}

/** An order of such pieces, whose jobs have ended, in front of a Telegram that notes what it is sent. */
async function openDelivery(
  pieces: readonly Piece[],
  place = { chatId: 7, threadId: null as number | null },
) {
  const world = openBotWorld(failOnce("commit:before", "delivery-files"));
  const { drafts, orders } = world;
  const calls: Call[] = [];
  /** What calls end with: method → the errors that come one after the other. */
  const faults = new Map<string, Error[]>();
  const opened = { streams: 0 };
  /** What Telegram says to a call without files. */
  const reach: { fault: Error | undefined } = { fault: undefined };
  const { logger, lines } = recordingLogger();
  /** The jobs of each refund that was asked for. */
  const refunds: (readonly JobId[])[] = [];
  const note = (method: string, chat: number, text: string | undefined, files: number, options: Options) => {
    const buttons = options.reply_markup?.inline_keyboard.flat().length ?? 0;
    calls.push({ method, chat, thread: options.message_thread_id, text, files, buttons });
    const fault = faults.get(method)?.shift();
    if (fault) throw fault;
  };
  const photo = () => ({ message_id: calls.length, photo: [{ file_id: `photo-${calls.length}` }] });
  const api = {
    async getMe() {
      if (reach.fault) throw reach.fault;
    },
    async sendMessage(chat: number, text: string, options: Options) {
      note("sendMessage", chat, text, 0, options);
    },
    async sendPhoto(chat: number, _file: unknown, options: Options) {
      note("sendPhoto", chat, options.caption, 1, options);
      return photo();
    },
    async sendMediaGroup(chat: number, media: Media[], options: Options) {
      note("sendMediaGroup", chat, media[0]?.caption, media.length, options);
      return media.map(photo);
    },
    async sendDocument(chat: number, _file: unknown, options: Options) {
      note("sendDocument", chat, options.caption, 1, options);
      return { message_id: calls.length, document: { file_id: `document-${calls.length}` } };
    },
  } as unknown as Api;
  const pieceOf = (id: JobId) => pieces[Number(id) - 1] ?? {};
  const gateway = {
    balance: async () => ({ currency: "RUB", amount: 90 }),
    async job(id: JobId) {
      return { job_id: id, type: "image", status: pieceOf(id).status ?? "done", cost_rub: 10 };
    },
    models: async () => catalogue.models,
    async results(id: JobId) {
      const { fault, size = 1000 } = pieceOf(id);
      const open = async () => {
        if (fault) throw fault;
        opened.streams += 1;
        const destroy = () => {
          opened.streams -= 1;
        };
        return { destroy };
      };
      return [{ kind: "result", index: 0, mime: "image/webp", size, fileName: "a", open }];
    },
    async refundLost(_order: string, jobIds: readonly JobId[]) {
      refunds.push(jobIds);
      return jobIds.length * 10_00;
    },
  };
  const deliver = new Deliver({
    api,
    orders,
    gateways: { of: async () => gateway } as unknown as Gateways,
    languageOf: () => texts.in("en"),
    supportContact: "@help",
    logger,
  });
  const { draft } = await drafts.open({ ...NEW_DRAFT, ...place });
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: 1000 };
  const claimed = await orders.claim({ orderId: "one", ...claim });
  if (!claimed) throw new Error("not claimed");
  await orders.accept(
    claimed,
    pieces.map((_, at) => at + 1),
  );
  await orders.finishJobs(claimed);
  const row = () => {
    const delivery = orders.findDelivery("one");
    if (!delivery) throw new Error("no delivery");
    return delivery;
  };
  /** The first write fails: what was sent must be written all the same. */
  const send = () => deliver.send(row(), (write) => write().catch(write));
  /** The methods of the calls since this was asked last. */
  const methods = () => calls.splice(0).map(({ method }) => method);
  return {
    ...world,
    deliver,
    gateway,
    calls,
    faults,
    opened,
    reach,
    refunds,
    logger,
    lines,
    row,
    send,
    methods,
  };
}

const tooOften = refusal(429, "Too Many Requests: retry after 1", { retry_after: 1 });
const topicGone = refusal(400, "Bad Request: message thread not found");
const failed: Piece = { status: "error" };
const gone: Piece = { fault: new ContractError("job_not_found") };
const large: Piece = { size: 11 * MEGABYTE };

describe("the files of an order", () => {
  test("that are in the chat are written before anything else is sent, and never sent again", async () => {
    const { send, calls, faults, row } = await openDelivery([{}, {}, large]);
    faults.set("sendDocument", [tooOften]);
    await expect(send()).rejects.toBe(tooOften);
    expect(row().files.map(({ index }) => index)).toEqual([0, 1]);
    faults.set("sendMessage", [tooOften]);
    await expect(send()).rejects.toBe(tooOften);
    expect(row().files.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(await send()).toBe("made");
    expect(calls.map(({ method }) => method)).toEqual([
      "sendMediaGroup",
      "sendDocument",
      "sendDocument",
      "sendMessage",
      "sendMessage",
    ]);
    expect(calls.at(-1)?.text).toContain("3");
  });

  test("have their words once, under the first of them", async () => {
    const { send, calls } = await openDelivery([{}, large]);
    await send();
    expect(calls.slice(0, 2).map(({ text }) => text?.includes("a fox"))).toEqual([true, undefined]);
  });

  test.each<[string, Piece[], boolean, number[]]>([
    ["one that is whole carries its buttons, and nothing more is said", [{}], true, [5]],
    ["with a failure the buttons stand beneath, where it is told", [{}, failed], true, [0, 5]],
    ["where all failed one can only try again", [failed, failed], false, [1]],
  ])("%s", async (_what, pieces, isDone, buttons) => {
    const { send, calls } = await openDelivery(pieces);
    expect(await send()).toBe(isDone ? "made" : "nothing_made");
    expect(calls.map((call) => call.buttons)).toEqual(buttons);
  });

  test("come with fewer buttons rather than later where the list of models is out of reach", async () => {
    const { send, calls, gateway } = await openDelivery([{}]);
    gateway.models = () => Promise.reject(new Unavailable("unreachable"));
    expect(await send()).toBe("made");
    expect(calls.map(({ buttons }) => buttons)).toEqual([2]);
  });

  test("go to the topic that they were ordered in, with what is said of them", async () => {
    const { send, calls } = await openDelivery([{}, failed], { chatId: GROUP, threadId: TOPIC });
    await send();
    expect(calls.map(({ chat, thread }) => [chat, thread])).toEqual([
      [GROUP, TOPIC],
      [GROUP, TOPIC],
    ]);
  });

  test("that go to another chat have no topic there", async () => {
    const { orders, send, calls } = await openDelivery([{}, failed], { chatId: GROUP, threadId: TOPIC });
    await orders.moveDelivery("one", 7);
    await send();
    expect(calls.map(({ chat, thread }) => [chat, thread])).toEqual([
      [7, undefined],
      [7, undefined],
    ]);
  });

  test("are opened once to look at them, and closed again", async () => {
    const { send, opened } = await openDelivery([{}, { size: 51 * MEGABYTE }]);
    await send();
    expect(opened.streams).toBe(0);
  });

  test.each([
    ["the disk does not give one out", new Error("EIO")],
    ["the core has a fault", new ContractError("internal_error")],
  ])("all wait while %s: it is not gone", async (_why, fault) => {
    const piece: Piece = { fault };
    const { send, calls } = await openDelivery([{}, piece]);
    await expect(send()).rejects.toBe(fault);
    expect(calls).toEqual([]);
    delete piece.fault;
    await send();
    expect(calls).toMatchObject([{ method: "sendMediaGroup", files: 2 }, { method: "sendMessage" }]);
  });

  test("that are kept no more are told of, and hold up none of the others", async () => {
    const { send, calls, refunds } = await openDelivery([{}, gone]);
    expect(await send()).toBe("made");
    const words = expect.stringMatching(/no longer kept[\s\S]*10 ₽ came back/);
    expect(calls).toMatchObject([{ method: "sendPhoto" }, { text: words }]);
    expect(refunds).toEqual([[2]]);
  });

  test("that are all gone are paid back before that is told, and once more asked for when it could not be", async () => {
    const { send, calls, refunds, faults } = await openDelivery([gone, failed, gone]);
    faults.set("sendMessage", [tooOften]);
    await expect(send()).rejects.toBe(tooOften);
    expect(await send()).toBe("lost");
    expect(refunds).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(calls.at(-1)?.text).toContain("20 ₽ came back");
    expect(calls.at(-1)?.text).not.toContain("@help");
  });

  test("that have expired once, and are gone since, are not paid back", async () => {
    const { orders, send, calls, refunds } = await openDelivery([gone]);
    await orders.endDelivery("one", "expired", "blocked", false);
    expect(await send()).toBe("lost");
    expect(refunds).toEqual([]);
    expect(calls).toMatchObject([{ text: expect.stringContaining("@help") }]);
  });

  test("are told without a refund where the service pays nothing back", async () => {
    const { send, calls, gateway } = await openDelivery([gone]);
    gateway.refundLost = async () => 0;
    expect(await send()).toBe("lost");
    expect(calls).toMatchObject([{ text: expect.stringContaining("@help") }]);
    expect(calls[0]?.text).not.toContain("came back");
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
    const { send, faults, methods, calls, row, lines } = await openDelivery([{}, {}]);
    for (const method of ["sendMediaGroup", "sendPhoto", "sendDocument"])
      faults.set(method, always(brokenConnection()));
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
    const told = calls.at(-1);
    expect(methods()).toEqual(["sendDocument", "sendDocument", "sendMessage"]);
    expect(told?.text).toContain(
      "Image 1 is ready, but Telegram keeps breaking the upload off. It is not lost",
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

  test("comes to its end within half an hour: the person hears of it, and the order is closed", async () => {
    const { deliver, orders, clock, lines, logger, faults, calls, row } = await openDelivery([{}]);
    for (const method of ["sendPhoto", "sendDocument"]) faults.set(method, always(brokenConnection()));
    const finalStatus = { show: async () => {} } as unknown as FinalStatus;
    const parts = { deliver, orders, chatActivity: new ChatActivity(), finalStatus, clock, logger };
    const scheduler = new DeliveryScheduler(parts);
    scheduler.enqueue("one");
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      await eventually(`pause ${attempt}`, () => row().attempts === attempt);
      await clock.advance(row().nextTryAt - clock.now());
    }
    await eventually("the end", () => row().state === "sent");
    expect(calls.filter(({ files }) => files > 0)).toHaveLength(8);
    expect(calls.at(-1)).toMatchObject({ method: "sendMessage", chat: 7 });
    expect(orders.find("one")?.state).toBe("closed");
    expect(lines.filter(({ level }) => level === 50)).toHaveLength(1);
    await scheduler.stop();
  });

  test("holds up none of the others, which are sent once", async () => {
    const { send, faults, methods, calls, row } = await openDelivery([{}, large, large]);
    faults.set("sendMediaGroup", always(brokenConnection()));
    await expect(send()).rejects.toThrow("upload failed");
    await expect(send()).rejects.toThrow("upload failed");
    expect(methods()).toEqual(["sendPhoto", "sendMediaGroup", "sendMediaGroup"]);
    await send();
    expect(calls.map(({ method, files }) => [method, files])).toEqual([
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
    const { send, faults, methods, row, reach } = await openDelivery([{}, {}]);
    reach.fault = unreached;
    faults.set("sendMediaGroup", always(fault));
    for (let time = 1; time <= 20; time += 1) await expect(send()).rejects.toBe(fault);
    expect(row().uploadFailures).toEqual([]);
    faults.clear();
    methods();
    await send();
    expect(methods()).toEqual(["sendMediaGroup", "sendMessage"]);
  });

  test("is known to have failed after a restart", async () => {
    const { send, faults, row } = await openDelivery([{}]);
    faults.set("sendPhoto", [brokenConnection()]);
    await expect(send()).rejects.toThrow("upload failed");
    expect(row().uploadFailures).toEqual([{ index: 0, track: 0, times: 1 }]);
  });
});

describe("a request that is too large for the server", () => {
  test("is divided, and never sent again as documents", async () => {
    const { send, faults, methods } = await openDelivery([{}, {}]);
    faults.set("sendMediaGroup", [tooLarge]);
    await expect(send()).rejects.toThrow("upload failed");
    await send();
    expect(methods()).toEqual(["sendMediaGroup", "sendPhoto", "sendPhoto", "sendMessage"]);
  });

  test("of one file is told at once, and holds up none of the others", async () => {
    const { send, faults, methods, calls } = await openDelivery([{}, large]);
    faults.set("sendDocument", [tooLarge]);
    expect(await send()).toBe("made");
    expect(calls.at(-1)?.text).toContain("Image 2 is ready, but");
    expect(methods()).toEqual(["sendPhoto", "sendDocument", "sendMessage"]);
  });
});

test("an album that may have arrived in part is repeated whole once, then its files go one by one", async () => {
  const { send, faults, methods } = await openDelivery([{}, {}, {}]);
  faults.set("sendMediaGroup", always(inPart));
  faults.set("sendPhoto", [tooOften]);
  await expect(send()).rejects.toBe(inPart);
  await expect(send()).rejects.toBe(inPart);
  expect(methods()).toEqual(["sendMediaGroup", "sendMediaGroup"]);
  await expect(send()).rejects.toBe(tooOften);
  await send();
  expect(methods()).toEqual(["sendPhoto", "sendPhoto", "sendPhoto", "sendPhoto", "sendMessage"]);
});

describe("a result that waits for a private chat", () => {
  test("is told of in the topic that it was ordered in, though its delivery has moved", async () => {
    const { orders, deliver, row, calls } = await openDelivery([{}], { chatId: GROUP, threadId: TOPIC });
    await orders.moveDelivery("one", 7);
    await deliver.askForPrivateChat(row());
    expect(calls).toMatchObject([
      { chat: GROUP, thread: TOPIC, text: expect.stringMatching(/^Ann, .*\/start/) },
    ]);
  });

  test("needs no words where it was ordered in private", async () => {
    const { deliver, row, calls } = await openDelivery([{}]);
    await deliver.askForPrivateChat(row());
    expect(calls).toEqual([]);
  });
});

describe("that files can never be sent is told", () => {
  test("in the topic that they were ordered in", async () => {
    const { deliver, row, calls } = await openDelivery([{}], { chatId: GROUP, threadId: TOPIC });
    await deliver.apologise(row());
    expect(calls).toMatchObject([{ chat: GROUP, thread: TOPIC, text: expect.stringContaining("@help") }]);
  });

  test("in the group itself when the topic is gone", async () => {
    const { deliver, row, calls, faults } = await openDelivery([{}], { chatId: GROUP, threadId: TOPIC });
    faults.set("sendMessage", [topicGone]);
    await deliver.apologise(row());
    expect(calls.at(-1)).toMatchObject({ chat: GROUP, thread: undefined });
  });

  test("where they were to go in the end", async () => {
    const { orders, deliver, row, calls } = await openDelivery([{}], { chatId: GROUP, threadId: TOPIC });
    await orders.moveDelivery("one", 7);
    await deliver.apologise(row());
    expect(calls).toMatchObject([{ chat: 7, thread: undefined }]);
  });
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
