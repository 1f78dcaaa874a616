import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createReferenceLink, isReadableElsewhere } from "../../../../src/providers/publish.js";
import { newDirectory, plainPicture } from "../../../support/render-tasks.js";

test.each([
  ["https://atelier.example", true],
  ["https://atelier.example/base", true],
  ["https://93.184.215.14:8443", true],
  ["http://atelier.example", false],
  ["https://localhost", false],
  ["https://atelier.local", false],
  ["https://atelier", false],
  ["https://127.0.0.1", false],
  ["https://[::1]", false],
  ["https://10.0.0.5", false],
])("links under %s can be read elsewhere: %s", (publicUrl, isReadable) => {
  expect(isReadableElsewhere(publicUrl)).toBe(isReadable);
});

test("a picture is published with its bytes, and stays where it is", async () => {
  const path = join(await newDirectory(), "reference-0");
  const picture = plainPicture("#e01010");
  await writeFile(path, picture);
  const link = createReferenceLink({
    publish: async (stream) => `https://atelier.example/files/a?${(await buffer(stream)).equals(picture)}`,
  });
  expect(await link({ path, mime: "image/png" }, 1)).toBe("https://atelier.example/files/a?true");
  expect(await link({ path, mime: "image/png" }, 1)).toContain("true");
});
