import type { TelegramMessage } from "@gramio/types";
import { beforeEach, describe, expect, test } from "vitest";
import { Drafts } from "../../src/bot/card/draft-store.js";
import type { JobId } from "../../src/contract/job.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { type DirectOrder, openOrderStore, payOrder } from "../support/direct-order.js";
import { eventually } from "../support/eventually.js";
import { CLIP, COVER_SIDE } from "../support/results.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

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

let service: TestService;

beforeEach(async () => {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
});

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
});

describe("music", () => {
  test("arrives as an album of tracks with titles, performer, durations and covers; the buttons follow below", async () => {
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
    await boris.press("Скачать файлами");
    const files = () => boris.heard().flatMap(({ document }) => document?.file_name ?? []);
    await boris.see(() => files().length === 2);
    expect(files()).toEqual(["Night Train.mp3", "Night Train-2.mp3"]);
  });
});
