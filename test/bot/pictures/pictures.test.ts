import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { chatPicture, resultPicture } from "../../../src/bot/form/picture-fields.js";
import { Pictures } from "../../../src/bot/pictures/pictures.js";
import { DownloadError } from "../../../src/bot/telegram/download.js";
import { ContractError, Unavailable } from "../../../src/contract/errors.js";
import type { Job } from "../../../src/contract/job.js";
import type { Gateway, ReferenceFile } from "../../../src/ports/gateway.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

const ANN = { id: 7, name: "Ann" };
const BORIS = { id: 8, name: "Boris" };

function openPictures(publish?: (file: ReferenceFile) => Promise<string>, results: Partial<Gateway> = {}) {
  const clock = createManualClock();
  const opened: string[] = [];
  const streams: Readable[] = [];
  const { logger, lines } = recordingLogger("debug");
  let links = 0;
  const publishReference = async (file: ReferenceFile) => {
    if (publish) return publish(file);
    links += 1;
    return `https://own/${links}-${(await buffer(file.stream)).toString()}`;
  };
  const pictures = new Pictures({
    files: {
      open: async (fileId) => {
        opened.push(fileId);
        if (fileId === "broken") throw new DownloadError("gone");
        const stream = Readable.from([Buffer.from(fileId)]);
        streams.push(stream);
        return stream;
      },
    },
    gateways: {
      of: async () => ({ publishReference, ...results }) as unknown as Gateway,
      submitIsExactlyOnce: true,
    },
    clock,
    logger,
  });
  return { pictures, clock, opened, streams, lines };
}

describe("a picture of the chat", () => {
  test("has one link for half an hour, and a new one afterwards", async () => {
    const { pictures, clock, opened } = openPictures();
    const first = await pictures.publish(ANN, "A");
    await clock.advance(29 * 60_000);
    expect(await pictures.publish(ANN, "A")).toBe(first);
    await clock.advance(60_000);
    expect(await pictures.publish(ANN, "A")).not.toBe(first);
    expect(opened).toEqual(["A", "A"]);
  });

  test("of one person is not the other's", async () => {
    const { pictures } = openPictures();
    expect(await pictures.publish(ANN, "A")).not.toBe(await pictures.publish(BORIS, "A"));
  });

  test("becomes a link in a request, wherever it stands; links and texts stay", async () => {
    const { pictures } = openPictures();
    const request = {
      type: "video" as const,
      model_key: "m",
      prompt: chatPicture("no picture but words"),
      start_frame_url: chatPicture("A"),
      end_frame_url: "https://example.com/b.png",
      reference_urls: [chatPicture("B"), "https://example.com/c.png"],
    };
    expect(await pictures.published(ANN, request)).toEqual({
      ...request,
      start_frame_url: "https://own/1-A",
      reference_urls: ["https://own/2-B", "https://example.com/c.png"],
    });
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
      const { pictures, opened, streams } = openPictures(() => Promise.reject(error));
      await expect(pictures.publish(ANN, "A")).rejects.toMatchObject({ name: "PictureRefusedError", fault });
      await expect(pictures.publish(ANN, "A")).rejects.toMatchObject({ fault });
      expect(opened).toHaveLength(2);
      expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
    },
  );

  test("that Telegram lost is refused as gone", async () => {
    const { pictures } = openPictures();
    await expect(pictures.publish(ANN, "broken")).rejects.toMatchObject({ fault: "gone" });
  });
});

describe("a result as a picture", () => {
  test("has a fresh link of its own each time, and no copy is made of it", async () => {
    let links = 0;
    const result = Readable.from([Buffer.from("picture")]);
    const { pictures } = openPictures(() => Promise.reject(new Error("a copy")), {
      results: async () => [
        {
          kind: "result",
          index: 0,
          mime: "image/webp",
          size: 7,
          fileName: "1.webp",
          open: async () => result,
        },
      ],
      job: async (id) => {
        links += 1;
        return { job_id: id, result: { url: `https://own/${id}?${links}`, mime: null } } as Job;
      },
    });
    expect(await pictures.linkTo(ANN, resultPicture(12))).toBe("https://own/12?1");
    const request = { type: "video", model_key: "m", start_frame_url: resultPicture(12) } as const;
    expect(await pictures.published(ANN, request)).toEqual({
      ...request,
      start_frame_url: "https://own/12?2",
    });
    expect(result.destroyed).toBe(true);
  });

  test("that is no longer kept is refused as such", async () => {
    const { pictures } = openPictures(undefined, {
      results: () => Promise.reject(new ContractError("job_not_found")),
    });
    await expect(pictures.linkTo(ANN, resultPicture("12"))).rejects.toMatchObject({ fault: "expired" });
  });
});
