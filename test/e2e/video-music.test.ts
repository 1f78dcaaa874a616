import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TelegramMessage } from "@gramio/types";
import { describe, expect, test } from "vitest";
import { Drafts } from "../../src/bot/card/draft-store.js";
import type { JobId } from "../../src/contract/job.js";
import { mediaOfJob } from "../../src/media/media-store.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { type DirectOrder, openOrderStore, payOrder } from "../support/direct-order.js";
import { eventually } from "../support/eventually.js";
import { CLIP, COVER_SIDE, makeResults } from "../support/results.js";
import {
  ANN,
  BORIS,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../support/service.js";

const VIDEO = {
  type: "video",
  model_key: "veo-3-1",
  prompt: "a train <in> the snow",
  resolution: "720p",
} as const;
const SONG = {
  type: "music",
  model_key: "music:suno-v5",
  title: "Night / Train",
  description: "a slow song about a train",
} as const;
const ONE_TRACK = { type: "music", model_key: "music:minimax", description: "a march of the ants" } as const;
const REFUSED = "Bad Request: wrong type of the web page content";

let service: TestService;

async function start(options: TestServiceOptions = {}): Promise<void> {
  const environment = { WELCOME_CREDIT_RUB: "1000", ...options.environment };
  service = await startTestService({ ...options, environment });
}

/** A person who has said hello, with an order that the service finds at its start. */
async function startOrder(person: { id: number }, request: DirectOrder["request"]) {
  const chatter = new Chatter(service.sandbox.person(person.id));
  chatter.say("/balance");
  const hello = await chatter.see(/Your balance|Ваш баланс/);
  const order = await payOrder(service.database, {
    userId: person.id,
    request,
    statusMessageId: hello.message_id,
  });
  await service.restart();
  return { chatter, order, delivery: () => openOrderStore(service.database).findDelivery(order.id) };
}

/** The jobs of an order, once it is accepted. */
function orderJobs(orderId: string): readonly JobId[] | undefined {
  const order = openOrderStore(service.database).find(orderId);
  return order && order.jobIds.length > 0 ? order.jobIds : undefined;
}

function callsOf(method: string) {
  return service.sandbox.calls.filter((call) => call.method.toLowerCase() === method.toLowerCase());
}

function tracksOf(chatter: Chatter): TelegramMessage[] {
  return chatter.heard().filter(({ audio }) => audio !== undefined);
}

const isSummary = (message: TelegramMessage) =>
  labelsOf(message).some((label) => /Adjust|Повторить иначе/.test(label));

describe("a video", () => {
  test("arrives streamable, with its dimensions, duration, caption and buttons", async () => {
    await start();
    const { chatter: ann, order, delivery } = await startOrder(ANN, VIDEO);
    const message = await ann.see(({ video }) => video !== undefined);
    expect(callsOf("sendVideo").map(({ params }) => params)).toMatchObject([
      { supports_streaming: true, width: CLIP.width, height: CLIP.height, duration: CLIP.durationSec },
    ]);
    const { width, height, durationSec: duration } = CLIP;
    const [jobId] = await eventually("the jobs", () => orderJobs(order.id));
    expect(message.video).toMatchObject({ width, height, duration, file_name: `atelier-${jobId}.mp4` });
    expect(message.caption).toContain(
      "a train <in> the snow\n\nVeo 3.1 · 44\u00a0₽ · balance\u00a0956\u00a0₽",
    );
    expect(labelsOf(message)).toEqual(["🎲 Another take · 44\u00a0₽", "⚙️ Adjust", "📄 As a file"]);
    await eventually("the end", () => delivery()?.state === "sent");
    expect(delivery()?.files).toMatchObject([
      { index: 0, track: 0, messageId: message.message_id, as: "video" },
    ]);
    expect(ann.heard().filter(isSummary)).toHaveLength(1);
  });

  test("is sent as a file on demand, uploaded once, and can be made again", async () => {
    await start();
    const { chatter: ann, order } = await startOrder(ANN, VIDEO);
    await ann.press("As a file");
    const file = await ann.see(({ document }) => document !== undefined);
    expect(file.document?.file_name).toMatch(/^atelier-\d+\.mp4$/);
    await ann.press("As a file");
    await ann.see(({ document }) => document !== undefined, file.message_id);
    const [first, second] = callsOf("sendDocument");
    expect(Object.keys(first?.uploads ?? {})).toHaveLength(1);
    expect(second?.params.document).toBe(file.document?.file_id);
    await (await ann.press("Adjust")).answered();
    const draft = await eventually("the draft", () =>
      new Drafts(service.database, systemClock).composing(ANN.id, ANN.id),
    );
    expect(draft).toMatchObject({
      modelKey: "veo-3-1",
      parameters: { resolution: "720p", prompt: VIDEO.prompt },
    });
    expect(draft.id).not.toBe(order.draftId);
  });

  test("that Telegram rejects as a video is sent as a document, with its caption and buttons", async () => {
    await start();
    const answer = { type: "status", code: 400, description: REFUSED } as const;
    service.sandbox.faults.add({ method: "sendVideo", answer });
    const { chatter: ann, delivery } = await startOrder(ANN, VIDEO);
    const message = await ann.see(({ document }) => document !== undefined);
    expect(message.caption).toContain("Veo 3.1");
    expect(labelsOf(message)).toHaveLength(3);
    await eventually("the end", () => delivery()?.state === "sent");
    expect(delivery()?.files).toMatchObject([{ as: "document" }]);
  });

  test("over 48 MB is not uploaded: the person reads why and what to do", async () => {
    await start();
    service.provider.make = makeLargeVideo;
    const { chatter: boris } = await startOrder(BORIS, VIDEO);
    const told = await boris.see("48\u00a0МБ");
    expect(told.text).toBe(
      "Видео готово, но весит 51\u00a0МБ, а через Telegram я могу отправить не больше 48\u00a0МБ. " +
        "Файл не потерян: его может передать @atelier_help. " +
        "Видео покороче или в качестве пониже придёт прямо сюда.",
    );
    expect(labelsOf(told)).toEqual(["⚙️ Повторить иначе"]);
    expect([...callsOf("sendVideo"), ...callsOf("sendDocument")]).toEqual([]);
  });
});

test("a file that Telegram never accepts is reported with a contact, and its status ends", async () => {
  await start();
  const answer = { type: "status", code: 400, description: REFUSED } as const;
  service.sandbox.faults.add({ method: "sendVideo", answer });
  service.sandbox.faults.add({ method: "sendDocument", answer });
  const { chatter: boris, delivery } = await startOrder(BORIS, VIDEO);
  await boris.see("Они не потеряны: их может передать @atelier_help.");
  await boris.see("❌ Не получилось");
  await eventually("the end", () => delivery()?.state === "failed");
});

describe("music", () => {
  test("arrives as an album of tracks with titles, performer, durations and covers; the buttons follow below", async () => {
    await start();
    const { chatter: boris, delivery } = await startOrder(BORIS, SONG);
    const summary = await boris.see(isSummary);
    expect(summary.text).toBe("✅ 2 трека");
    expect(labelsOf(summary)).toEqual([
      "🎲 Ещё вариант · 25\u00a0₽",
      "⚙️ Повторить иначе",
      "🎸 Другой стиль",
      "📄 Скачать файлами",
    ]);
    const tracks = tracksOf(boris);
    const thumbnail = { width: COVER_SIDE, height: COVER_SIDE };
    const about = { performer: "Suno V5", thumbnail, mime_type: "audio/mpeg" };
    expect(tracks.map(({ audio }) => audio)).toMatchObject([
      { ...about, title: "1. Night / Train", duration: 1, file_name: "Night Train.mp3" },
      { ...about, title: "2. Night / Train", duration: 2, file_name: "Night Train-2.mp3" },
    ]);
    expect(new Set(tracks.map(({ media_group_id }) => media_group_id)).size).toBe(1);
    expect(tracks.map(({ caption }) => caption)).toEqual([
      undefined,
      "Night / Train\n\nSuno V5 · 25\u00a0₽ · баланс\u00a0975\u00a0₽",
    ]);
    await eventually("the status is gone", () => callsOf("deleteMessage").length === 1);
    expect(delivery()?.files).toMatchObject([
      { index: 0, track: 0, as: "audio", messageId: tracks[0]?.message_id },
      { index: 0, track: 1, as: "audio", messageId: tracks[1]?.message_id },
    ]);
  });

  test("of one track carries its caption and buttons itself", async () => {
    await start();
    const { chatter: ann } = await startOrder(ANN, ONE_TRACK);
    const track = await ann.see(({ audio }) => audio !== undefined);
    expect(track.audio).toMatchObject({ title: "A march of the ants", performer: "MiniMax Music" });
    expect(track.caption).toBe("a march of the ants\n\nMiniMax Music · 20\u00a0₽ · balance\u00a0980\u00a0₽");
    expect(labelsOf(track)).toEqual([
      "🎲 Another take · 20\u00a0₽",
      "⚙️ Adjust",
      "🎸 Another style",
      "📄 As a file",
    ]);
    expect(ann.heard().filter(isSummary)).toHaveLength(1);
  });

  test("is sent as files on demand, every track, each uploaded once", async () => {
    await start();
    const { chatter: ann } = await startOrder(ANN, SONG);
    await ann.press("As files");
    const files = () => ann.heard().flatMap(({ document }) => (document ? [document] : []));
    await ann.see(() => files().length === 2);
    expect(files().map(({ file_name }) => file_name)).toEqual(["Night Train.mp3", "Night Train-2.mp3"]);
    await ann.press("As files");
    await ann.see(() => files().length === 4);
    expect(files()[3]?.file_id).toBe(files()[1]?.file_id);
  });

  test.each([
    ["a picture of another kind", "image/webp", 100],
    ["a cover that is too large", "image/jpeg", 400],
  ])("with %s instead of a small JPEG arrives without a cover", async (_name, mime, side) => {
    await start();
    service.provider.make = async (task) => {
      const files = await makeResults(task);
      const { makeJpeg } = await import("../support/media.js");
      for (const { path } of files.filter((file) => file.mime === "image/jpeg"))
        await writeFile(path, makeJpeg(side));
      return files.map((file) => (file.mime === "image/jpeg" ? { ...file, mime } : file));
    };
    const { chatter: ann } = await startOrder(ANN, ONE_TRACK);
    const { audio } = await ann.see((message) => message.audio !== undefined);
    expect(audio?.thumbnail).toBeUndefined();
    expect(Object.keys(callsOf("sendAudio")[0]?.uploads ?? {})).toHaveLength(1);
  });

  test.each([
    ["answers 502", { type: "status", code: 502, description: "Bad Gateway" }],
    ["breaks the connection", { type: "reset", when: "before" }],
  ] as const)("arrives once when Telegram %s in the middle", async (_name, answer) => {
    await start();
    service.provider.make = async (task) => {
      const files = await makeResults(task);
      // A wave cannot be played as music: it goes as a document, in a call of its own.
      return files.map((file, at) => (at === 2 ? { ...file, mime: "audio/wav" } : file));
    };
    service.sandbox.faults.add({ method: "sendDocument", answer });
    service.sandbox.faults.add({ method: "sendMessage", matches: hasButtons, answer });
    const { chatter: ann, delivery } = await startOrder(ANN, SONG);
    await ann.see(isSummary);
    await eventually("the end", () => delivery()?.state === "sent");
    expect(delivery()?.files).toMatchObject([
      { track: 0, as: "audio" },
      { track: 1, as: "document" },
    ]);
    expect(tracksOf(ann)).toHaveLength(1);
    expect(ann.heard().filter(({ document }) => document !== undefined)).toHaveLength(1);
    expect(callsOf("sendAudio")).toHaveLength(1);
    expect(service.balanceOf(ANN.id)).toBe(975);
  });

  test("with an expired track arrives without it, and says so", async () => {
    await start();
    service.sandbox.faults.add({ method: "sendMediaGroup", answer: { type: "429", retryAfter: 1 } });
    const { chatter: ann, order } = await startOrder(ANN, SONG);
    await service.sandbox.waitForCall("sendMediaGroup");
    const [job = ""] = await eventually("the jobs", () => orderJobs(order.id));
    const files = mediaOfJob(service.database, Number(String(job).replace("music_", "")));
    const { name = "" } = files.find(({ role, position }) => role === "result" && position === 1) ?? {};
    await rm(join(service.directory, "media", "files", name.slice(0, 2), name.slice(2, 4), name));
    const summary = await ann.see(isSummary);
    expect(summary.text).toBe(
      "Ready: 1 of 2 tracks.\nTrack 2 is no longer kept, so it can’t be sent. You can ask @atelier_help.",
    );
    expect(tracksOf(ann)).toMatchObject([{ caption: expect.stringContaining("Suno V5") }]);
    await ann.press("As a file");
    await ann.see("This file is no longer kept");
    expect(ann.heard().filter(({ document }) => document !== undefined)).toHaveLength(1);
  });
});

function hasButtons({ params }: { params: Record<string, unknown> }): boolean {
  return JSON.stringify(params).includes("callback_data");
}

async function makeLargeVideo(task: Parameters<typeof makeResults>[0]) {
  const [file] = await makeResults(task);
  if (!file) throw new Error("no video");
  await truncate(file.path, 51 * 1024 * 1024);
  return [file];
}
