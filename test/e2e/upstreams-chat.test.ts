import { expect, test } from "vitest";
import { markedWebp } from "../support/picture.js";
import { ANN, TOKEN } from "../support/service.js";
import { startUpstreamService } from "../support/upstream-service.js";

test("a video begins with the photo of the chat, which its service gets as an upload", async () => {
  const { chatter, stand, sandbox } = await startUpstreamService("fal,kie,polza");
  const ann = chatter(ANN);
  ann.say("/video");
  await ann.choose(/^Kling 4/);
  await ann.seeButton(/^Quality/);
  ann.person.sendPhoto(markedWebp("start"));
  await ann.see("1\u00a0photo attached");
  ann.say("a boat sails off");
  await ann.press(/^✅ Generate · 95/);
  const { video, caption } = await ann.see(({ video }) => video !== undefined);
  expect(caption).toContain("905\u00a0₽");
  expect(video).toMatchObject({ duration: 5, height: 720 });
  expect(video?.thumbnail, "its start frame").toBeDefined();
  const [{ body, endpoint } = { body: {}, endpoint: "" }] = stand.ledger;
  expect(endpoint).toBe("kling/v4/image-to-video");
  expect(Object.values(body).join()).toContain(`${stand.environment().FAL_API_ROOT}/uploads/`);
  expect(JSON.stringify(body), "no link of Telegram leaves the process").not.toContain(sandbox.url);
  expect(stand.calls.filter(({ kind }) => kind === "upload")).not.toHaveLength(0);
  expect(stand.ledger).toHaveLength(1);
});

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
