import { rmSync } from "node:fs";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { UpstreamCall } from "../../../../src/providers/adapter.js";
import { ReferencePublisher, type ReferencePublisherOptions } from "../../../../src/providers/publish.js";
import { comfyui } from "../../../../src/providers/services/comfyui.js";
import { fal } from "../../../../src/providers/services/fal.js";
import { kie } from "../../../../src/providers/services/kie.js";
import { advancedUntilEnd } from "../../../support/advanced-until-end.js";
import { createManualClock } from "../../../support/manual-clock.js";
import { never, newFiles, plainPicture } from "../../../support/render-tasks.js";
import { answer, HTML } from "../answer.js";

const PICTURE = plainPicture("#e01010");

function openPublisher(change: Partial<ReferencePublisherOptions>) {
  const calls: UpstreamCall[] = [];
  const clock = createManualClock();
  let files = 0;
  const { ask = async () => answer(200, {}), ...rest } = change;
  const publisher = new ReferencePublisher({
    adapter: fal,
    put: async () => {},
    clock,
    ids: {
      file: () => {
        files += 1;
        return `file${files}`;
      },
    },
    ...rest,
    ask: (call, signal) => {
      calls.push(call);
      return ask(call, signal);
    },
  });
  const publish = (paths: readonly string[]) => publisher.publish(paths, never);
  return { calls, clock, publish };
}

describe("references", () => {
  test("are links of ours, in order and whole, where the service can read those", async () => {
    const blue = plainPicture("#1010e0");
    const paths = await newFiles(PICTURE, blue);
    const publishNow = async (stream: Readable) => {
      const bytes = await buffer(stream);
      return `https://atelier.example/${bytes.equals(PICTURE) ? "red" : bytes.equals(blue) ? "blue" : "other"}`;
    };
    const { publish, calls } = openPublisher({ published: { publish: publishNow } });
    expect(await publish(paths)).toEqual(["https://atelier.example/red", "https://atelier.example/blue"]);
    expect(calls).toEqual([]);
  });

  test("are uploaded to a service that opens no links, wherever ours could be read", async () => {
    const published = { publish: () => Promise.reject(new Error("not asked for")) };
    const ask = async () => answer(200, { name: "other.png", subfolder: "atelier", type: "input" });
    const { publish, calls } = openPublisher({ published, ask, adapter: comfyui });
    expect(await publish(await newFiles(PICTURE))).toEqual(["atelier/other.png"]);
    expect(calls.map(({ url }) => new URL(url).pathname)).toEqual(["/upload/image"]);
  });

  test("go another way where no link can be made, and leave no file open", async () => {
    const streams: Readable[] = [];
    const published = {
      publish: (stream: Readable) => {
        streams.push(stream);
        return Promise.reject(new Error("quota"));
      },
    };
    const ask = async () =>
      answer(200, { success: true, code: 200, data: { downloadUrl: "https://kie.ai/a.png" } });
    const other = openPublisher({ published, ask, adapter: kie });
    expect(await other.publish(await newFiles(PICTURE))).toEqual(["https://kie.ai/a.png"]);
    const nothing = openPublisher({ published, adapter: {} });
    await expect(nothing.publish(await newFiles(PICTURE))).rejects.toThrow("quota");
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  test("whose file is gone before anybody reads it end no process", async () => {
    const [path = ""] = await newFiles(PICTURE);
    const published = {
      publish: async (stream: Readable) => {
        rmSync(path);
        await new Promise((resolve) => stream.once("close", resolve));
        throw new Error("storage");
      },
    };
    await expect(openPublisher({ published, adapter: {} }).publish([path])).rejects.toThrow("storage");
  });

  test("are uploaded in two steps where the first answer names the address of the second", async () => {
    const sent: unknown[] = [];
    const { publish, calls } = openPublisher({
      ask: async () =>
        answer(200, { upload_url: "https://v3b.fal.media/put", file_url: "https://v3b.fal.media/a" }),
      put: async (url, { mime, bytes }) => void sent.push([url, mime, bytes.equals(PICTURE)]),
    });
    expect(await publish(await newFiles(PICTURE))).toEqual(["https://v3b.fal.media/a"]);
    expect(sent).toEqual([["https://v3b.fal.media/put", "image/png", true]]);
    expect(calls[0]?.json).toEqual({ content_type: "image/png", file_name: "file1.png" });
  });

  test("are uploaded in one form otherwise, under a name of their own", async () => {
    const [path = ""] = await newFiles(PICTURE);
    const { publish, calls } = openPublisher({
      adapter: kie,
      ask: async () =>
        answer(200, { success: true, code: 200, data: { downloadUrl: "https://kie.ai/a.png" } }),
    });
    expect(await publish([path, path])).toEqual(["https://kie.ai/a.png", "https://kie.ai/a.png"]);
    const names = calls.map(({ form }) => form?.find(({ name }) => name === "fileName"));
    expect(new Set(names.map((part) => part && "value" in part && part.value))).toEqual(
      new Set(["file1.png", "file2.png"]),
    );
  });

  test("are left to another provider where the service takes links only", async () => {
    const [path = ""] = await newFiles(PICTURE);
    await expect(openPublisher({ adapter: {} }).publish([path])).rejects.toMatchObject({
      name: "UploadError",
      message: "the service takes links only, and PUBLIC_URL is not public",
    });
  });

  test("are files for the submit where the service takes those, up to their limit together", async () => {
    const paths = await newFiles(PICTURE, PICTURE);
    const { publish, calls } = openPublisher({ adapter: { filesBytesMax: 2 * PICTURE.length } });
    expect(await publish(paths)).toEqual(paths.map((path) => pathToFileURL(path).href));
    expect(calls).toEqual([]);
    await expect(publish([...paths, ...paths])).rejects.toMatchObject({
      failure: "reference",
      message: "Reference picture 3 could not be used: the pictures are too large together.",
    });
    await expect(publish(await newFiles(Buffer.from("<svg></svg>")))).rejects.toMatchObject({
      message: "Reference picture 1 could not be used: it is no PNG, JPEG or WebP picture.",
    });
  });

  test("that are no pictures are refused by their number", async () => {
    const paths = await newFiles(PICTURE, Buffer.from("<svg></svg>"));
    const { publish } = openPublisher({ published: { publish: async () => "https://atelier.example/a" } });
    await expect(publish(paths)).rejects.toMatchObject({
      failure: "reference",
      message: "Reference picture 2 could not be used: it is no PNG, JPEG or WebP picture.",
    });
  });
});

describe("an upload", () => {
  test("that fails is repeated", async () => {
    let turn = 0;
    const done = answer(200, {
      upload_url: "https://v3b.fal.media/put",
      file_url: "https://v3b.fal.media/a",
    });
    const { publish, clock, calls } = openPublisher({
      ask: async () => {
        turn += 1;
        return turn === 1 ? answer(502, HTML) : done;
      },
      put: async () => {
        if (turn === 2) throw new Error("connection reset");
      },
    });
    const published = publish(await newFiles(PICTURE));
    expect(await advancedUntilEnd(clock, published, 500)).toEqual(["https://v3b.fal.media/a"]);
    expect(calls).toHaveLength(3);
  });

  test("is given up after a few tries, for a reason that is not the picture's", async () => {
    const { publish, clock, calls } = openPublisher({ ask: async () => answer(502, HTML) });
    const published = publish(await newFiles(PICTURE)).catch((error: unknown) => error);
    expect(await advancedUntilEnd(clock, published, 500)).toMatchObject({ name: "UploadError" });
    expect(calls).toHaveLength(3);
  });
});
