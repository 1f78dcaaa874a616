import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { chatPicture, resultPicture } from "../../../src/bot/card/form/picture-fields.js";
import { Pictures } from "../../../src/bot/card/pictures.js";
import type { Person } from "../../../src/bot/people/people.js";
import { TelegramDownloadError } from "../../../src/bot/telegram/files.js";
import { ContractError, Unavailable } from "../../../src/contract/errors.js";
import { FakeService } from "../../support/fake-gateway.js";
import { LINK_ROOT } from "../../support/fake-job.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";

function openPictures() {
  const clock = createManualClock();
  const opened: string[] = [];
  const streams: Readable[] = [];
  const service = new FakeService();
  const open = async (fileId: string) => {
    opened.push(fileId);
    if (fileId === "broken") throw new TelegramDownloadError("gone");
    const stream = Readable.from([Buffer.from(fileId)]);
    streams.push(stream);
    return stream;
  };
  const customer = (id: number, name: string) => ({
    person: { id, name, locale: "en" } as Person,
    gateway: service.gateway(id),
  });
  const pictures = new Pictures({ open }, clock, silentLogger());
  return { pictures, service, clock, opened, streams, ann: customer(7, "Ann"), boris: customer(8, "Boris") };
}

describe("a picture of the chat", () => {
  test("has one link of its person for half an hour, and a new one afterwards", async () => {
    const { pictures, ann, boris, clock, opened } = openPictures();
    const first = await pictures.publish(ann, "A");
    await clock.advance(29 * 60_000);
    expect(await pictures.publish(ann, "A")).toBe(first);
    expect(await pictures.publish(boris, "A")).not.toBe(first);
    await clock.advance(60_000);
    expect(await pictures.publish(ann, "A")).not.toBe(first);
    expect(opened).toEqual(["A", "A", "A"]);
  });

  test("becomes a link in a request, wherever it stands; links and texts stay", async () => {
    const { pictures, ann, service } = openPictures();
    const request = {
      type: "video" as const,
      model_key: "m",
      prompt: chatPicture("no picture but words"),
      start_frame_url: chatPicture("A"),
      end_frame_url: "https://example.com/b.png",
      reference_urls: [chatPicture("B"), "https://example.com/c.png"],
    };
    expect(await pictures.published(ann, request)).toEqual({
      ...request,
      start_frame_url: `${LINK_ROOT}reference-1`,
      reference_urls: [`${LINK_ROOT}reference-2`, "https://example.com/c.png"],
    });
    expect([...service.published.values()]).toEqual(["A", "B"]);
  });

  test.each([
    ["too_large", new ContractError("payload_too_large")],
    ["not_picture", new ContractError("bad_reference_url")],
    ["unkept", new Unavailable("storage")],
    ["too_many", new Unavailable("quota")],
    ["unreachable", new Unavailable("unreachable")],
    ["unkept", new Error("disk on fire")],
  ])(
    "that cannot be kept is refused as %s, its stream is closed, and it is tried anew",
    async (fault, error) => {
      const { pictures, ann, service, opened, streams } = openPictures();
      service.failNext("publishReference", error, error);
      await expect(pictures.publish(ann, "A")).rejects.toMatchObject({ name: "PictureRefusedError", fault });
      await expect(pictures.publish(ann, "A")).rejects.toMatchObject({ fault });
      expect(opened).toHaveLength(2);
      expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
    },
  );

  test("that Telegram lost is refused as gone", async () => {
    const { pictures, ann } = openPictures();
    await expect(pictures.publish(ann, "broken")).rejects.toMatchObject({ fault: "gone" });
  });
});

describe("a result as a picture", () => {
  test("has a fresh link of its own each time, and no copy is made of it", async () => {
    const { pictures, ann, service } = openPictures();
    service.addJob({ id: 12 }).finish();
    const linkAt = (look: number) => `${LINK_ROOT}12/result-0?${look}`;
    expect(await pictures.linkTo(ann, resultPicture(12))).toBe(linkAt(1));
    const request = { type: "video", model_key: "m", start_frame_url: resultPicture(12) } as const;
    expect(await pictures.published(ann, request)).toEqual({
      ...request,
      start_frame_url: linkAt(2),
    });
    await turnOfEvents();
    expect([service.openFiles, service.published.size]).toEqual([0, 0]);
  });

  test("has its link within seconds where its host does not answer, and is closed once it does", async () => {
    const { pictures, ann, service, clock } = openPictures();
    service.addJob({ id: 12 }).finish();
    const { gateway } = ann;
    const results = gateway.results.bind(gateway);
    const host = Promise.withResolvers<void>();
    gateway.results = async (job) =>
      (await results(job)).map((file) => ({ ...file, open: () => host.promise.then(() => file.open()) }));
    const link = pictures.linkTo(ann, resultPicture(12));
    await clock.advance(5000);
    expect(await link).toBe(`${LINK_ROOT}12/result-0?1`);
    host.resolve();
    await turnOfEvents();
    expect(service.openFiles).toBe(0);
  });

  test("that is no longer kept is refused as such", async () => {
    const { pictures, ann } = openPictures();
    await expect(pictures.linkTo(ann, resultPicture("12"))).rejects.toMatchObject({ fault: "expired" });
  });
});
