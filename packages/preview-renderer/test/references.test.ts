import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { bigPng } from "../../../test/support/big-png.js";
import { meanColour, newFiles, newTask, plainPicture } from "../../../test/support/render-tasks.js";
import { paintImage } from "../src/image.js";
import { openReferences } from "../src/references.js";
import { RenderError } from "../src/task.js";

const open = (paths: readonly string[]) => openReferences(paths, 300 * 300);

async function painted(colours: readonly string[]): Promise<[number, number, number]> {
  const references = await open(await newFiles(...colours.map((colour) => plainPicture(colour))));
  return meanColour(
    paintImage(await newTask("a forest", { resolution: "0.3K" }), references).toBuffer("image/png"),
  );
}

describe("reference pictures", () => {
  test("are seen in the image", async () => {
    const [red, green, blue] = await painted(["#e01010"]);
    expect(red).toBeGreaterThan(Math.max(green, blue) + 60);
    const [, , blueOfBlue] = await painted(["#1020e0"]);
    expect(blueOfBlue).toBeGreaterThan(blue + 60);
  });

  test("are all used when there are several", async () => {
    const [red, , blue] = await painted(["#e01010", "#1010e0"]);
    expect(red).toBeGreaterThan(70);
    expect(blue).toBeGreaterThan(70);
  });

  test("are accepted up to sixteen", async () => {
    await expect(painted(Array.from({ length: 16 }, () => "#30c050"))).resolves.toHaveLength(3);
  });

  test("give the image the aspect ratio of the first one when none is set", async () => {
    const references = await open(await newFiles(plainPicture("#888888", 200, 100)));
    const task = await newTask("sea", { aspect_ratio: "auto", resolution: "0.3K" });
    const { width, height } = paintImage(task, references);
    expect(width / height).toBeCloseTo(2, 1);
  });

  test("that are larger than the result are scaled down, each in its own aspect ratio", async () => {
    const pictures = await open(
      await newFiles(plainPicture("#888888", 2000, 500), plainPicture("#888888", 40, 20)),
    );
    expect(pictures.map(({ width, height }) => [width, height])).toEqual([
      [849, 212],
      [40, 20],
    ]);
  });

  test("with more than 64 megapixels are rejected before decoding", async () => {
    const opening = open(await newFiles(bigPng({ width: 8193, height: 8192 })));
    await expect(opening).rejects.toMatchObject({
      failure: "reference",
      message: "Reference picture 1 could not be read: it has more than 64 megapixels.",
    });
  });

  test.each([
    ["bytes between two segments", Buffer.from([0xff, 0xe1, 0, 4, 0, 0, 0, 0])],
    ["fill bytes before a marker", Buffer.from([0xff, 0xe1, 0, 4, 0, 0, 0xff])],
    ["another frame header of an arithmetic JPEG", Buffer.from([0xff, 0xc9, 0, 4, 0, 0])],
  ])(
    "that are a JPEG with %s, which may misstate its size, are rejected before decoding",
    async (_name, inserted) => {
      const jpeg = createCanvas(64, 64).encodeSync("jpeg", 80);
      await expect(open(await newFiles(jpeg))).resolves.toHaveLength(1);
      const lying = Buffer.concat([jpeg.subarray(0, 2), inserted, jpeg.subarray(2)]);
      await expect(open(await newFiles(lying))).rejects.toMatchObject({
        failure: "reference",
        message: "Reference picture 1 could not be read: it is damaged, or no picture.",
      });
    },
  );

  test("whose header states other dimensions than their content are rejected", async () => {
    const webp = Buffer.from(createCanvas(3000, 2000).encodeSync("webp", 80));
    expect(webp.toString("latin1", 12, 16)).toBe("VP8X");
    webp.writeUIntLE(9, 24, 3);
    webp.writeUIntLE(9, 27, 3);
    await expect(open(await newFiles(webp))).rejects.toMatchObject({ failure: "reference" });
  });

  test.each([
    ["garbage", Buffer.from("no picture at all")],
    ["a cut picture", plainPicture("#123456").subarray(0, 60)],
    ["an empty file", Buffer.alloc(0)],
  ])("that are %s fail", async (_name, content) => {
    const paths = await newFiles(plainPicture("#ffffff"), content);
    const opening = open(paths);
    await expect(opening).rejects.toBeInstanceOf(RenderError);
    await expect(opening).rejects.toMatchObject({
      failure: "reference",
      message: "Reference picture 2 could not be read: it is damaged, or no picture.",
    });
  });

  test("that do not exist fail", async () => {
    await expect(open(["/nowhere/picture"])).rejects.toMatchObject({ failure: "reference" });
  });
});
