import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { newFiles, newVideoTask, plainPicture } from "../../../test/support/render-tasks.js";
import { render } from "../src/render.js";
import type { ParameterValue } from "../src/task.js";
import { labelBox } from "../src/type.js";
import { type Area, colourOf, differenceOf, openVideo, type Picture } from "./video-file.js";

const START = { start_frame_url: "https://a.example/start.png" };
const END = { end_frame_url: "https://a.example/end.png" };
const REFERENCES = { reference_urls: ["https://a.example/1.png"] };
const SHORT = { aspect_ratio: "1:1", resolution: "480p", duration_sec: 1 };

/** A PNG of stripes of equal width. */
function stripes(colours: readonly string[], width: number, height: number): Buffer {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  for (const [index, colour] of colours.entries()) {
    ctx.fillStyle = colour;
    ctx.fillRect((index * width) / colours.length, 0, width / colours.length + 1, height);
  }
  return canvas.toBuffer("image/png");
}

async function filmOf(files: readonly Buffer[], parameters: Record<string, ParameterValue>, prompt = "x") {
  const references = await newFiles(...files);
  const task = await newVideoTask(prompt, { ...SHORT, ...parameters }, { references });
  const [file] = await render(task);
  const video = await openVideo(file?.path ?? "");
  const pictures = await video.pictures();
  const [first, last] = [pictures[0], pictures.at(-1)] as [Picture, Picture];
  return { video, pictures, first, last, middle: pictures[Math.floor(pictures.length / 2)] as Picture };
}

const ZEBRA = ["#000000", "#ffffff", "#000000", "#ffffff", "#000000", "#ffffff", "#000000", "#ffffff"];
const LEFT: Area = { x: 0.05, y: 0.1, width: 0.35, height: 0.5 };
const RIGHT: Area = { x: 0.6, y: 0.1, width: 0.35, height: 0.5 };

/** Whether a colour is the wanted one as far as the encoder keeps it. */
function expectColour(seen: readonly number[], wanted: readonly number[], tolerance = 12): void {
  for (const [index, value] of wanted.entries()) {
    expect(Math.abs((seen[index] ?? 0) - value)).toBeLessThan(tolerance);
  }
}

describe("a video from frames", () => {
  test("begins with exactly the start frame, and moves away from it", async () => {
    const { first, pictures } = await filmOf([stripes(["#d02040", "#2060c0"], 300, 300)], START);
    expect(pictures).toHaveLength(24);
    expectColour(colourOf(first, LEFT), [0xd0, 0x20, 0x40]);
    expectColour(colourOf(first, RIGHT), [0x20, 0x60, 0xc0]);
    const fine = await filmOf([stripes(ZEBRA, 300, 300)], START);
    expect(differenceOf(fine.first, fine.last)).toBeGreaterThan(2);
  });

  test("a start frame of another shape is cut, not stretched", async () => {
    const { first } = await filmOf([stripes(["#ff0000", "#108040", "#0000ff"], 600, 200)], START);
    expectColour(colourOf(first, { x: 0.02, y: 0.1, width: 0.96, height: 0.5 }), [0x10, 0x80, 0x40]);
  });

  test("auto takes the shape of the start frame, within 3:1", async () => {
    const auto = { aspect_ratio: "auto", duration_sec: 1 / 24 };
    const wide = await filmOf([plainPicture("#888888", 200, 100)], { ...START, ...auto });
    expect(wide.video).toMatchObject({ width: 960, height: 480 });
    const tall = await filmOf([plainPicture("#888888", 10, 100)], { ...START, ...auto });
    expect(tall.video).toMatchObject({ width: 480, height: 1440 });
  });

  test("goes from the start frame to exactly the end frame", async () => {
    const frames = [plainPicture("#d02020"), stripes(["#2020d0", "#20a040"], 300, 300)];
    const { first, middle, last } = await filmOf(frames, { ...START, ...END });
    expectColour(colourOf(first, LEFT), [0xd0, 0x20, 0x20]);
    expectColour(colourOf(last, LEFT), [0x20, 0x20, 0xd0]);
    expectColour(colourOf(last, RIGHT), [0x20, 0xa0, 0x40]);
    const [red, , blue] = colourOf(middle, LEFT);
    expect(red).toBeGreaterThan(40);
    expect(blue).toBeGreaterThan(40);
  });

  test("every picture carries the label", async () => {
    const { pictures } = await filmOf([plainPicture("#000000")], START);
    const box = labelBox(480, 480);
    for (const { data } of pictures) {
      let letters = 0;
      for (let y = Math.ceil(box.y); y < box.y + box.height; y++) {
        for (let x = Math.ceil(box.x); x < box.x + box.width; x++)
          if ((data[y * 480 + x] ?? 0) > 140) letters++;
      }
      expect(letters).toBeGreaterThan(30);
    }
  });
});

describe("a video from references", () => {
  test("shows its reference, and moves", async () => {
    const { first, last } = await filmOf(
      [stripes(["#e01010", "#600808", "#e01010", "#600808", "#e01010", "#600808"], 300, 300)],
      REFERENCES,
      "лес",
    );
    const [red, green, blue] = colourOf(first);
    expect(red).toBeGreaterThan(Math.max(green, blue) + 50);
    expect(differenceOf(first, last)).toBeGreaterThan(1);
  });

  test("a reference that is no picture fails the video", async () => {
    await expect(filmOf([Buffer.from("no picture")], REFERENCES)).rejects.toMatchObject({
      name: "RenderError",
      failure: "reference",
    });
  });
});
