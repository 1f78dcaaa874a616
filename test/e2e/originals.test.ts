import { expect, test } from "vitest";
import { ANN, TOKEN } from "../support/service.js";
import { startUpstreamService } from "../support/upstream-service.js";

async function bytesOf(address: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(address)).arrayBuffer());
}

test("the original in the chat is the service's file with its provenance; the API gives the WebP", async () => {
  const ofOneAddress = { hasOwnAddresses: false };
  const { chatter, sandbox, stand, url, make } = await startUpstreamService("fal", {}, ofOneAddress);
  const ann = chatter(ANN);
  ann.say("a red fox");
  await ann.press(/^✅/);
  await ann.seePhoto();
  await ann.press("As a file");
  const { document } = await ann.see((message) => message.document !== undefined);
  const made = await bytesOf(`${stand.url}${stand.calls.find(({ kind }) => kind === "file")?.path ?? ""}`);
  expect(made.includes("c2pa")).toBe(true);
  expect(document).toMatchObject({ file_name: "atelier-1.jpg", mime_type: "image/jpeg" });
  const getFile = `${sandbox.url}/bot${TOKEN}/getFile?file_id=${document?.file_id}`;
  const { result: sent } = (await (await fetch(getFile)).json()) as { result: { file_path: string } };
  expect((await bytesOf(`${sandbox.url}/file/bot${TOKEN}/${sent.file_path}`)).equals(made)).toBe(true);
  const { result } = await make({ type: "image", model_key: "nano-banana-2", prompt: "a red fox" });
  const { url: link, mime } = result as { url: string; mime: string };
  expect(mime).toBe("image/webp");
  const content = await bytesOf(link.replace(/^https?:\/\/[^/]+/, url));
  expect(content.toString("latin1", 8, 12)).toBe("WEBP");
});
