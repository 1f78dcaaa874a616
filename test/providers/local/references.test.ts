import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GenerationFailed } from "../../../src/core/jobs/provider.js";
import { paintImage } from "../../../src/providers/local/image.js";
import { openReferences } from "../../../src/providers/local/references.js";
import { meanColour, newDirectory, newTask, plainPicture } from "./task.js";

async function files(...contents: Buffer[]): Promise<string[]> {
  const directory = await newDirectory();
  const paths = contents.map((_content, index) => join(directory, `${index}`));
  await Promise.all(contents.map((content, index) => writeFile(paths[index] ?? "", content)));
  return paths;
}

async function painted(colours: readonly string[]): Promise<[number, number, number]> {
  const references = await openReferences(await files(...colours.map((colour) => plainPicture(colour))));
  return meanColour(
    paintImage(await newTask("a forest", { resolution: "0.3K" }), references).toBuffer("image/png"),
  );
}

describe("reference pictures", () => {
  test("the picture takes the colours of its reference", async () => {
    const [plainRed] = await painted([]);
    const [red, green, blue] = await painted(["#e01010"]);
    expect(red).toBeGreaterThan(plainRed + 30);
    expect(red).toBeGreaterThan(Math.max(green, blue) + 60);
    const [, , blueOfBlue] = await painted(["#1020e0"]);
    expect(blueOfBlue).toBeGreaterThan(blue + 60);
  });

  test("several references are all seen", async () => {
    const [red, , blue] = await painted(["#e01010", "#1010e0"]);
    expect(red).toBeGreaterThan(70);
    expect(blue).toBeGreaterThan(70);
  });

  test("sixteen references are taken", async () => {
    await expect(painted(Array.from({ length: 16 }, () => "#30c050"))).resolves.toHaveLength(3);
  });

  test("without a ratio the picture takes the shape of its first reference", async () => {
    const references = await openReferences(await files(plainPicture("#888888", 200, 100)));
    const task = await newTask("sea", { aspect_ratio: "auto", resolution: "0.3K" });
    const { width, height } = paintImage(task, references);
    expect(width / height).toBeCloseTo(2, 1);
  });

  test.each([
    ["garbage", Buffer.from("no picture at all")],
    ["a cut picture", plainPicture("#123456").subarray(0, 60)],
    ["an empty file", Buffer.alloc(0)],
  ])("%s fails as a reference", async (_name, content) => {
    const paths = await files(plainPicture("#ffffff"), content);
    const opening = openReferences(paths);
    await expect(opening).rejects.toBeInstanceOf(GenerationFailed);
    await expect(opening).rejects.toMatchObject({
      failure: "reference",
      message: "Reference picture 2 could not be read: it is damaged, or no picture.",
    });
  });

  test("a file that is not there fails as a reference", async () => {
    await expect(openReferences(["/nowhere/picture"])).rejects.toMatchObject({ failure: "reference" });
  });
});
