import { describe, expect, it } from "vitest";
import type { Json } from "../../src/catalogue/json.js";
import { outputSchema } from "../../src/catalogue/mapping.js";
import { readOutputs, takenOutputs } from "../../src/catalogue/operation.js";
import fc from "../support/fast-check.js";

const image = outputSchema.parse({ kind: "image", files: "/images/*/url" });
const songs = outputSchema.parse({
  kind: "audio",
  files: "/songs/*/audioUrl",
  covers: "/songs/*/imageUrl",
  titles: "/songs/*/title",
  durations: "/songs/*/duration",
});

describe("readOutputs", () => {
  it.each([
    ["image", {}, 1],
    ["audio", {}, 4],
    ["audio", { takes: 3 }, 3],
  ] as const)(
    "takes no more files of kind %s, with %j, than %i, and counts the others",
    (kind, takes, count) => {
      const output = outputSchema.parse({ kind, files: "/files/*" });
      const document = { files: Array.from({ length: 3000 }, (_, index) => `https://a.test/${index}`) };
      const taken = takenOutputs({ output, ...takes }, document);
      const sources = document.files.slice(0, count).map((url) => ({ url }));
      expect(taken?.told).toBe(3000);
      expect(taken?.files.map(({ source }) => source)).toEqual(sources);
      expect(takenOutputs({ output }, { files: [] })).toBeUndefined();
    },
  );

  it("cuts titles and takes no duration of more than a day", () => {
    const song = { audioUrl: "https://a.test/1.mp3", title: "😀".repeat(5000), duration: 1e300 };
    const [read] = readOutputs(songs, { songs: [song] }) ?? [];
    expect(read).toEqual({ kind: "audio", source: { url: song.audioUrl }, title: "😀".repeat(200) });
  });

  it("reads one element that stands without its list", () => {
    expect(readOutputs(image, { images: { url: "https://a.test/1" } })).toHaveLength(1);
  });

  it("keeps covers, titles and durations with their track when a track is not ready", () => {
    const document = {
      songs: [
        { audioUrl: "", imageUrl: "https://a.test/1.jpg", title: "One", duration: 10 },
        { audioUrl: "https://a.test/2.mp3", title: "Two", duration: "11.5" },
        { audioUrl: "https://a.test/3.mp3", imageUrl: "https://a.test/3.jpg", title: "", duration: 0 },
      ],
    };
    expect(readOutputs(songs, document)).toEqual([
      { kind: "audio", source: { url: "https://a.test/2.mp3" }, title: "Two", durationSec: 11.5 },
      { kind: "audio", source: { url: "https://a.test/3.mp3" }, coverUrl: "https://a.test/3.jpg" },
    ]);
  });

  it("reads base64 and escaped names", () => {
    const spec = outputSchema.parse({ kind: "image", files: "/a~1b/~0/0", encoding: "base64" });
    expect(readOutputs(spec, { "a/b": { "~": ["QUJD"] } })).toEqual([
      { kind: "image", source: { base64: "QUJD" } },
    ]);
  });

  it.each<[string, Json]>([
    ["an empty list", { images: [] }],
    ["elements without addresses", { images: [{}, null, 5, { url: null }] }],
    ["a text", "error"],
  ])("tells no file of %s", (_, document) => {
    expect(readOutputs(image, document)).toBeUndefined();
  });

  it("throws for no document", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        // fast-check's JSON and ours are the same shapes.
        readOutputs(songs, JSON.parse(JSON.stringify(document)));
      }),
    );
  });
});
