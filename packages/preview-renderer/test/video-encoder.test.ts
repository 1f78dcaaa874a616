import { expect, test, vi } from "vitest";
import { newTask, newVideoTask } from "../../../test/support/render-tasks.js";
import { render } from "../src/render.js";

vi.mock("@napi-rs/webcodecs", () => {
  throw new Error("Cannot find native binding");
});

test("without an encoder for this machine a video fails in plain words, and pictures are made", async () => {
  await expect(render(await newVideoTask("море"))).rejects.toMatchObject({
    name: "RenderError",
    failure: "provider",
    message: expect.stringContaining("no video encoder"),
  });
  await expect(render(await newTask("море", { resolution: "0.3K" }))).resolves.toHaveLength(1);
});
