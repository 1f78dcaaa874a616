import type { Api } from "grammy";
import type { Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { Deliver } from "../../../src/bot/orders/deliver.js";
import { sentFile } from "../../../src/bot/orders/file-sender.js";
import { ContractError } from "../../../src/contract/errors.js";
import type { Gateways } from "../../../src/contract/gateway.js";
import type { JobId, JobStatus } from "../../../src/contract/job.js";
import { NEW_DRAFT, openBotWorld, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { failOnce } from "../../support/fail-once.js";

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
  const { drafts, orders, deliveries } = world;
  const calls: Call[] = [];
  /** What calls end with: method → the errors that come one after the other. */
  const faults = new Map<string, Error[]>();
  const opened = { streams: 0 };
  const note = (method: string, chat: number, text: string | undefined, files: number, options: Options) => {
    const buttons = options.reply_markup?.inline_keyboard.flat().length ?? 0;
    calls.push({ method, chat, thread: options.message_thread_id, text, files, buttons });
    const fault = faults.get(method)?.shift();
    if (fault) throw fault;
  };
  const photo = () => ({ message_id: calls.length, photo: [{ file_id: `photo-${calls.length}` }] });
  const api = {
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
    async openResult(id: JobId) {
      const { fault, size = 1000 } = pieceOf(id);
      if (fault) throw fault;
      opened.streams += 1;
      const destroy = () => {
        opened.streams -= 1;
      };
      return { stream: { destroy }, mime: "image/webp", size, fileName: "a" };
    },
  };
  const deliver = new Deliver({
    api,
    orders,
    deliveries,
    gateways: { of: async () => gateway } as unknown as Gateways,
    languageOf: () => texts.in("en"),
    supportContact: "@help",
  });
  const { draft } = await drafts.open({ ...NEW_DRAFT, ...place });
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: 1000 };
  const claimed = await orders.claim({ orderId: "one", ...claim });
  if (!claimed) throw new Error("not claimed");
  await orders.finish(
    await orders.accept(
      claimed,
      pieces.map((_, at) => at + 1),
    ),
  );
  const row = () => {
    const delivery = deliveries.find("one");
    if (!delivery) throw new Error("no delivery");
    return delivery;
  };
  /** The first write fails: what was sent must be written all the same. */
  const send = () => deliver.send(row(), (write) => write().catch(write));
  return { ...world, deliver, calls, faults, opened, row, send };
}

const tooOften = refusal(429, "Too Many Requests: retry after 1", { retry_after: 1 });
const topicGone = refusal(400, "Bad Request: message thread not found");
const failed: Piece = { status: "error" };
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
    expect(await send()).toBe(true);
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
    ["one that is whole carries its buttons, and nothing more is said", [{}], true, [2]],
    ["with a failure the buttons stand beneath, where it is told", [{}, failed], true, [0, 2]],
    ["where all failed one can only try again", [failed, failed], false, [1]],
  ])("%s", async (_what, pieces, isDone, buttons) => {
    const { send, calls } = await openDelivery(pieces);
    expect(await send()).toBe(isDone);
    expect(calls.map((call) => call.buttons)).toEqual(buttons);
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
    const { send, calls, deliveries } = await openDelivery([{}, failed], { chatId: GROUP, threadId: TOPIC });
    await deliveries.moveChat("one", 7);
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
    const { send, calls } = await openDelivery([{}, { fault: new ContractError("job_not_found") }]);
    expect(await send()).toBe(true);
    expect(calls).toMatchObject([{ method: "sendPhoto" }, { text: expect.stringContaining("@help") }]);
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
    const { deliver, deliveries, row, calls } = await openDelivery([{}], { chatId: GROUP, threadId: TOPIC });
    await deliveries.moveChat("one", 7);
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
