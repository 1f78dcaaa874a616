import { createCanvas } from "@napi-rs/canvas";
import { expect, onTestFinished, test } from "vitest";
import { ApiAccount, installAccounts } from "../support/api-accounts.js";
import { bigPng } from "../support/big-png.js";
import { ChildService } from "../support/child-service.js";
import { startHttpsServer } from "../support/https-server.js";
import { newFolder } from "../support/new-folder.js";
import { FamilyMemory } from "../support/processes.js";

const MEGABYTE = 1024 ** 2;
const SIDE = 20_000;
const RUBLES = 1000;
/** A large picture takes two seconds of a whole core, and other tests run beside. */
const PATIENCE_MS = 240_000;

const TOO_MANY = "it has more than 64 megapixels";
const NO_PICTURE = "it is no PNG, JPEG or WebP picture";

/** What each link leads to, and why it is refused; undefined where it is decoded in the sides that it states. */
const BOMBS: readonly [name: string, file: Buffer, reason: string | undefined][] = [
  ["png", bigPng({ width: SIDE, height: SIDE, bytes: MEGABYTE }), TOO_MANY],
  ["jpeg", jpegOf(SIDE, SIDE), TOO_MANY],
  ["jpeg-that-readers-disagree-on", withFillBytes(jpegOf(SIDE, SIDE)), TOO_MANY],
  ["animated-webp", animatedWebp(16_000, 16_000, 16_000, 16_000), TOO_MANY],
  ["animated-webp-with-a-large-frame", animatedWebp(64, 64, 16_000, 16_000), undefined],
  [
    "png-with-more-than-stated",
    bigPng({ width: SIDE, height: SIDE, stated: { width: 1, height: SIDE } }),
    undefined,
  ],
  [
    "gif",
    Buffer.concat([Buffer.from("GIF89a\xff\xff\xff\xff", "latin1"), Buffer.alloc(MEGABYTE)]),
    NO_PICTURE,
  ],
  ["avif", createCanvas(64, 64).encodeSync("avif"), NO_PICTURE],
];

/** A JPEG whose frame header states other sides than it has data for: a decoder fills the rest. */
function jpegOf(width: number, height: number): Buffer {
  const jpeg = Buffer.from(createCanvas(64, 64).encodeSync("jpeg", 80));
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(height, frame + 5);
  jpeg.writeUInt16BE(width, frame + 7);
  return jpeg;
}

/** Bytes before a marker that decoders skip, and readers of sizes may take for a segment. */
function withFillBytes(jpeg: Buffer): Buffer {
  const segment = Buffer.from([0xff, 0xe1, 0, 4, 0, 0, 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

function animatedWebp(width: number, height: number, frameWidth: number, frameHeight: number): Buffer {
  const still = createCanvas(64, 64).encodeSync("webp", 80);
  const image = still.subarray(still.indexOf("VP8 ", 12, "latin1"));
  const frame = Buffer.alloc(16);
  frame.writeUIntLE(frameWidth - 1, 6, 3);
  frame.writeUIntLE(frameHeight - 1, 9, 3);
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(0x02, 0);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const chunks = [
    webpChunk("VP8X", canvas),
    webpChunk("ANIM", Buffer.alloc(6)),
    webpChunk("ANMF", Buffer.concat([frame, image])),
  ];
  return webpChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...chunks]));
}

function webpChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** Runs the whole service with its renderer, and answers with what it and they took together at most. */
async function attack(
  reference: (name: string) => string[],
  names: readonly string[],
  files: Map<string, Buffer>,
) {
  const { origin } = await startHttpsServer((request, response) => {
    response.end(files.get(request.url?.slice(1) ?? ""));
  });
  const directory = newFolder();
  const { keys, balanceOf } = await installAccounts(directory, 3, RUBLES);
  const service = new ChildService({ DATA_DIR: directory, RUNNER_CONCURRENCY: "2", TEST_RENDERER: "1" });
  onTestFinished(() => service.kill());
  const url = await service.ready();
  const memory = new FamilyMemory(service.pid);
  onTestFinished(() => memory.stop());
  const accounts = keys.map((key) => new ApiAccount(url, key));
  const ends = await Promise.all(
    accounts.flatMap((account) =>
      names.map(async (name) => {
        const reference_urls = reference(name).map((path) => `${origin}/${path}`);
        const request = { type: "image", model_key: "gpt-image-2-5", prompt: "a red fox", reference_urls };
        const { job_id } = await account.post(request);
        return { name, ...(await account.ended(job_id, PATIENCE_MS)) };
      }),
    ),
  );
  return { ends: ends as ({ name: string } & Record<string, unknown>)[], balanceOf, peak: memory.peak };
}

test.skipIf(process.platform !== "linux")(
  "decompression bombs sent to several jobs are rejected undecoded and refunded (memory is read from /proc)",
  async () => {
    const files = new Map(BOMBS.map(([name, file]) => [name, file]));
    const names = BOMBS.map(([name]) => name);
    const { ends, balanceOf, peak } = await attack((name) => Array(16).fill(name), names, files);
    for (const { name, status, error } of ends) {
      const reason = BOMBS.find(([bomb]) => bomb === name)?.[2];
      expect({ name, status }).toEqual({ name, status: reason === undefined ? "done" : "error" });
      if (reason !== undefined)
        expect(error).toMatch(new RegExp(`^Reference picture \\d+ could not be read: ${reason}\\.$`));
    }
    const paid = ends.reduce(
      (sum, { status, cost_rub }) => sum + (status === "done" ? Number(cost_rub) : 0),
      0,
    );
    expect([1, 2, 3].reduce((sum, id) => sum + balanceOf(id), 0)).toBe(3 * RUBLES - paid);
    expect(peak).toBeLessThan(700);
  },
);

test.skipIf(process.platform !== "linux")(
  "the largest accepted pictures are decoded one after the other (memory is read from /proc)",
  async () => {
    const files = new Map([["large", bigPng({ width: 8192, height: 8192, isColoured: true })]]);
    const { ends, peak } = await attack(() => Array(2).fill("large"), ["large"], files);
    for (const { status } of ends) expect(status).toBe("done");
    expect(peak).toBeLessThan(1500);
  },
  PATIENCE_MS,
);
