import { loadImage } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { makePicture } from "../src/files.js";

test.each([
  ["png", "caBX", 33 + 4],
  ["jpeg", "JP", 20 + 4],
] as const)(
  "a %s carries a manifest store where readers look for it, and is still a picture",
  async (format, mark, at) => {
    const spec = { id: "a", kind: "image", format, width: 64, height: 32, about: "a fox" } as const;
    const bytes = await makePicture(spec, "fal");
    expect(bytes.toString("latin1", at, at + mark.length)).toBe(mark);
    expect(bytes.includes("jumb")).toBe(true);
    expect(await loadImage(bytes)).toMatchObject({ width: 64, height: 32 });
  },
);
