import type { Message } from "grammy/types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeJpeg, makeMp3, makeMp4 } from "../../../test/support/media.js";
import { imageSize } from "../src/image-size.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call, multipart } from "./client.js";
import { png } from "./picture.js";

const ANNA = 1001;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
  sandbox.person(ANNA).sendText("/start");
});

afterEach(() => sandbox.close());

async function send(method: string, fields: Record<string, unknown>, names = {}): Promise<Message> {
  const answer = await call<Message>(sandbox, method, multipart({ chat_id: ANNA, ...fields }, names));
  expect(answer.description).toBeUndefined();
  return answer.result;
}

test("a photo has its real dimensions, and its file can be downloaded and sent again", async () => {
  const bytes = png(120, 60);
  const { photo = [] } = await send("sendPhoto", { photo: bytes, caption: "<i>hi</i>", parse_mode: "HTML" });
  expect(photo.map(({ width, height }) => [width, height])).toEqual([
    [90, 45],
    [120, 60],
  ]);
  const file_id = photo.at(-1)?.file_id;
  const file = await call<{ file_path: string }>(sandbox, "getFile", { file_id });
  const download = await fetch(`${sandbox.url}/file/bot${sandbox.token}/${file.result.file_path}`);
  expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
  const again = await call<Message>(sandbox, "sendPhoto", { chat_id: ANNA, photo: file_id });
  expect(again.result.photo?.at(-1)?.file_id).toBe(file_id);
  const wrong = await call(sandbox, "sendDocument", { chat_id: ANNA, document: file_id });
  expect(wrong.description).toBe("Bad Request: can't use file of type Photo as Document");
});

test("a download needs the token", async () => {
  const { photo } = await send("sendPhoto", { photo: png(5, 5) });
  const file = await call<{ file_path: string }>(sandbox, "getFile", { file_id: photo?.[0]?.file_id });
  const response = await fetch(`${sandbox.url}/file/bot1:x/${file.result.file_path}`);
  expect(response.status).toBe(401);
});

test("attach:// names a file part, also inside an album", async () => {
  const media = [
    { type: "photo", media: "attach://one", caption: "first" },
    { type: "video", media: "attach://two", duration: 3, width: 64, height: 36 },
  ];
  const body = multipart(
    { chat_id: ANNA, media, one: png(8, 8), two: Buffer.from("not really") },
    { two: "two.mp4" },
  );
  const { result } = await call<Message[]>(sandbox, "sendMediaGroup", body);
  expect(result.map(({ media_group_id }) => media_group_id)).toEqual(
    Array(2).fill(result[0]?.media_group_id ?? "missing"),
  );
  expect(result[0]).toMatchObject({ caption: "first" });
  expect(result[1]?.video).toMatchObject({ width: 64, height: 36, duration: 3, mime_type: "video/mp4" });
  const missing = multipart({ chat_id: ANNA, photo: "attach://nothing" });
  expect((await call(sandbox, "sendPhoto", missing)).description).toBe(
    "Bad Request: there is no photo in the request",
  );
});

test("an album with one invalid item sends nothing", async () => {
  const media = [
    { type: "photo", media: "attach://one" },
    { type: "photo", media: "no-such-id" },
  ];
  const before = sandbox.messages(ANNA).length;
  const answer = await call(sandbox, "sendMediaGroup", multipart({ chat_id: ANNA, media, one: png(8, 8) }));
  expect(answer.ok).toBe(false);
  expect(sandbox.messages(ANNA)).toHaveLength(before);
});

test("a WebP document becomes a sticker unless detection is switched off", async () => {
  const names = { document: "a.webp" };
  const shown = await send("sendDocument", { document: Buffer.from("RIFF"), caption: "c" }, names);
  expect(shown.sticker).toBeDefined();
  const fields = { document: Buffer.from("RIFF"), disable_content_type_detection: true };
  expect((await send("sendDocument", fields, names)).document?.mime_type).toBe("image/webp");
});

test("numbers, booleans and objects of a form are parsed by the schema", async () => {
  const { message_id } = sandbox.person(ANNA).sendText("to answer");
  const form = new URLSearchParams({
    chat_id: String(ANNA),
    text: "x",
    protect_content: "true",
    reply_parameters: JSON.stringify({ message_id }),
    reply_markup: JSON.stringify({ inline_keyboard: [[{ text: "b", callback_data: "d" }]] }),
  });
  expect((await call<Message>(sandbox, "sendMessage", form)).result).toMatchObject({
    has_protected_content: true,
    reply_to_message: { message_id },
    reply_markup: { inline_keyboard: [[{ callback_data: "d" }]] },
  });
  const broken = new URLSearchParams({ chat_id: String(ANNA), text: "x", reply_markup: "{" });
  expect((await call(sandbox, "sendMessage", broken)).description).toBe(
    "Bad Request: can't parse reply keyboard markup JSON object",
  );
  const query = await fetch(`${sandbox.url}/bot${sandbox.token}/sendMessage?chat_id=${ANNA}&text=query`);
  expect(query.status).toBe(200);
});

test("a caption and a medium are edited in place", async () => {
  const { message_id } = await send("sendPhoto", { photo: png(5, 5), caption: "a" });
  const caption = { chat_id: ANNA, message_id, caption: "b" };
  expect((await call<Message>(sandbox, "editMessageCaption", caption)).result.caption).toBe("b");
  expect((await call(sandbox, "editMessageCaption", caption)).description).toMatch(/message is not modified/);
  const body = multipart({
    chat_id: ANNA,
    message_id,
    media: { type: "document", media: "attach://f" },
    f: Buffer.from("text"),
  });
  const { result } = await call<Message>(sandbox, "editMessageMedia", body);
  expect(result).toMatchObject({ message_id, document: { file_size: 4 }, edit_date: expect.any(Number) });
  expect(result.photo ?? result.caption).toBeUndefined();
});

test("messages are copied and deleted", async () => {
  const { message_id } = await send("sendPhoto", { photo: png(5, 5), caption: "a" });
  const from = { chat_id: ANNA, from_chat_id: ANNA, message_id };
  const copy = await call<{ message_id: number }>(sandbox, "copyMessage", { ...from, caption: "mine" });
  expect(sandbox.messages(ANNA).at(-1)).toMatchObject({
    message_id: copy.result.message_id,
    caption: "mine",
  });
  const message_ids = [message_id, copy.result.message_id, 99999];
  expect((await call(sandbox, "deleteMessages", { chat_id: ANNA, message_ids })).ok).toBe(true);
  await sandbox.waitForDeletion(ANNA, message_id);
});

test("each kind of file that people send arrives as that kind", async () => {
  const anna = sandbox.person(ANNA);
  anna.sendAlbum([png(5, 5), png(6, 6)], { caption: "two" });
  anna.sendVoice(Buffer.from("ogg"));
  anna.sendSticker(Buffer.from("webp"));
  anna.sendDocument(Buffer.from("{}"), { fileName: "a.json" });
  const kinds = anna.messages().map((message) => Object.keys(message).at(message.caption ? -3 : -1));
  expect(kinds).toHaveLength(6);
  expect(anna.messages().at(-1)?.document).toMatchObject({
    file_name: "a.json",
    mime_type: "application/json",
  });
  expect((await call<unknown[]>(sandbox, "getUpdates")).result).toHaveLength(6);
});

test("over its limit the file store evicts the oldest bytes", async () => {
  const small = await createSandbox({ fileBytesMax: 100 });
  const anna = small.person(ANNA);
  const first = anna.sendDocument(Buffer.alloc(80));
  anna.sendDocument(Buffer.alloc(80));
  const answer = await call(small, "getFile", { file_id: first.document?.file_id });
  expect(answer.description).toBe("Bad Request: wrong file_id or the file is temporarily unavailable");
  await small.close();
});

test("dimensions are read from the headers of PNG, GIF, JPEG and WebP", () => {
  const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([7, 0, 9, 0])]);
  const jpeg = Buffer.from("ffd8ffe000040000ffc0000b08000900070100000000", "hex");
  const lossy = Buffer.alloc(30);
  lossy.write("RIFF    WEBPVP8 ", "latin1");
  lossy.writeUInt16LE(7, 26);
  lossy.writeUInt16LE(9, 28);
  const extended = Buffer.alloc(30);
  extended.write("RIFF    WEBPVP8X", "latin1");
  extended.writeUIntLE(6, 24, 3);
  extended.writeUIntLE(8, 27, 3);
  const lossless = Buffer.alloc(30);
  lossless.write("RIFF    WEBPVP8L", "latin1");
  lossless.writeUInt32LE(6 | (8 << 14), 21);
  for (const bytes of [png(7, 9), gif, jpeg, lossy, extended, lossless]) {
    expect(imageSize(bytes)).toEqual({ width: 7, height: 9 });
  }
  expect(imageSize(Buffer.from("neither of them"))).toBeUndefined();
});

test("audio has its title, performer, duration and cover, and keeps them when sent by its id", async () => {
  const names = { audio: "Ночь.mp3", thumbnail: "cover.jpg" };
  const about = { title: "Night", performer: "Suno", duration: 61 };
  const cover = makeJpeg(320);
  const files = { audio: await makeMp3(1), thumbnail: cover };
  const sent = await send("sendAudio", { ...files, ...about }, names);
  const thumbnail = { width: 320, height: 320, file_size: cover.length };
  expect(sent.audio).toMatchObject({ ...about, thumbnail, file_name: "Ночь.mp3", mime_type: "audio/mpeg" });
  const again = await call<Message>(sandbox, "sendAudio", { chat_id: ANNA, audio: sent.audio?.file_id });
  expect(again.result.audio).toEqual(sent.audio);
  const { file_id } = sent.audio?.thumbnail ?? {};
  const { result } = await call<{ file_path: string }>(sandbox, "getFile", { file_id });
  const download = await fetch(`${sandbox.url}/file/bot${sandbox.token}/${result.file_path}`);
  expect(Buffer.from(await download.arrayBuffer())).toEqual(cover);
});

test.each([
  ["over 320 pixels", () => makeJpeg(321)],
  ["that is no JPEG", () => png(100, 100)],
  ["over 200 kB", () => Buffer.concat([makeJpeg(100), Buffer.alloc(200 * 1024)])],
])("a thumbnail %s is omitted without an error", async (_name, make) => {
  const fields = { audio: Buffer.from("mp3"), thumbnail: make() };
  const { audio } = await send("sendAudio", fields, { audio: "a.mp3", thumbnail: "cover.jpg" });
  expect(audio).toBeDefined();
  expect(audio?.thumbnail).toBeUndefined();
});

test("albums of tracks or documents contain no other kind", async () => {
  const album = (types: string[]) => {
    const media = types.map((type, at) => ({ type, media: `attach://f${at}`, thumbnail: "attach://cover" }));
    const files = Object.fromEntries(types.map((_, at) => [`f${at}`, Buffer.from("x")]));
    const body = { chat_id: ANNA, media, cover: makeJpeg(90), ...files };
    return call<Message[]>(sandbox, "sendMediaGroup", multipart(body, { f0: "a.mp3", f1: "b.mp3" }));
  };
  const tracks = await album(["audio", "audio"]);
  expect(tracks.result.map(({ audio }) => audio?.thumbnail?.width)).toEqual([90, 90]);
  expect((await album(["audio", "document"])).description).toBe(
    "Bad Request: audio can't be mixed with other media types",
  );
  expect((await album(["video", "document"])).description).toBe(
    "Bad Request: document can't be mixed with other media types",
  );
});

test("a video has the dimensions, duration and poster that its sender states", async () => {
  const names = { video: "a.mp4", thumbnail: "poster.jpg" };
  const about = { width: 128, height: 72, duration: 2 };
  const fields = { video: await makeMp4(128, 72, 2), thumbnail: makeJpeg(128), supports_streaming: true };
  const { video } = await send("sendVideo", { ...fields, ...about }, names);
  expect(video).toMatchObject({ ...about, mime_type: "video/mp4", thumbnail: { width: 128 } });
});
