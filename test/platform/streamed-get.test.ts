import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { streamedGet } from "../../src/platform/streamed-get.js";
import { startMuteServer } from "../support/mute-server.js";

test("a request whose signal was aborted before ends at once, and its connection with it", async () => {
  const { port } = await startMuteServer();
  const given = request({ port });
  onTestFinished(() => void given.destroy());
  await expect(streamedGet(given, AbortSignal.abort())).rejects.toThrow("aborted");
  expect(given.destroyed).toBe(true);
});
