import { createCanvas } from "@napi-rs/canvas";
import type { GenerationRequest } from "../../contract/request.js";

const SIDE = 1024;

/** Makes a picture for each link of the request: services refuse small or empty ones. */
export function samplePictures(request: GenerationRequest): Buffer[] {
  const { start_frame_url: start, end_frame_url: end, reference_urls: links } = request;
  const count = [start, end].filter((link) => link !== undefined).length;
  return Array.from({ length: count + (Array.isArray(links) ? links.length : 0) }, (_, index) =>
    drawApple(index),
  );
}

function drawApple(index: number): Buffer {
  const canvas = createCanvas(SIDE, SIDE);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f4efe6";
  context.fillRect(0, 0, SIDE, SIDE);
  context.fillStyle = "#c9302c";
  context.beginPath();
  context.arc(SIDE / 2 + index * 60, SIDE / 2, SIDE / 4, 0, 2 * Math.PI);
  context.fill();
  return canvas.toBuffer("image/png");
}
