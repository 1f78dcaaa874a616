import { afterEach, beforeEach, expect, test } from "vitest";
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

/** Sends an album of photos of these contents. */
function send(photos: readonly Buffer[], chat_id = ANNA, more: object = {}) {
  const media = photos.map((_, index) => ({ type: "photo", media: `attach://f${index}`, ...more }));
  const files = Object.fromEntries(photos.map((bytes, index) => [`f${index}`, bytes]));
  const names = Object.fromEntries(photos.map((_, index) => [`f${index}`, `${index}.png`]));
  return call(sandbox, "sendMediaGroup", multipart({ chat_id, media, ...files }, names));
}

const TWO = [png(5, 5), png(6, 6)];

test("an album to a blocked chat is a 400 with the server's words, unlike a single message", async () => {
  sandbox.person(ANNA).blockBot();
  const description = 'Bad Request: failed to send message #1 with the error message "USER_IS_BLOCKED"';
  expect(await send(TWO)).toMatchObject({ status: 400, error_code: 400, description });
  const single = await call(sandbox, "sendPhoto", multipart({ chat_id: ANNA, photo: png(5, 5) }));
  expect(single).toMatchObject({ status: 403, description: "Forbidden: bot was blocked by the user" });
});

test("an album to a deactivated person is a wrapped 403", async () => {
  sandbox.person(ANNA).deactivate();
  const description = 'Forbidden: failed to send message #1 with the error message "User is deactivated"';
  expect(await send(TWO)).toMatchObject({ status: 403, description });
});

test("a rejected album picture is named by its index", async () => {
  const description = 'Bad Request: failed to send message #2 with the error message "IMAGE_PROCESS_FAILED"';
  expect(await send([png(5, 5), Buffer.from("no picture")])).toMatchObject({ status: 400, description });
});

test("errors of the Bot API server itself are not wrapped", async () => {
  const tooLong = await send(TWO, ANNA, { caption: "x".repeat(1025) });
  expect(tooLong.description).toBe("Bad Request: message caption is too long");
  expect((await send(TWO, 77)).description).toBe("Bad Request: chat not found");
  sandbox.setBotStatus(ANNA, "kicked");
  const kicked = await send(TWO, sandbox.groupId);
  expect(kicked.description).toBe("Forbidden: bot was kicked from the supergroup chat");
});

test("an album that is not a list of media is rejected in the server's words", async () => {
  const album = async (media: unknown) =>
    (await call(sandbox, "sendMediaGroup", { chat_id: ANNA, media })).description;
  expect(await album("")).toBe('Bad Request: parameter "media" is required');
  expect(await album({})).toBe("Bad Request: expected an Array of InputMedia");
  expect(await album([{ type: "photo" }])).toBe("Bad Request: can't parse InputMedia: media not found");
  expect(await album([{ type: "animation", media: "x" }])).toBe(
    "Bad Request: can't parse InputMedia: type \"animation\" can't be used in sendMediaGroup",
  );
  sandbox.takeBreaches();
});

test("a fault lets the first items of an album arrive before the error", async () => {
  const description =
    'Bad Request: failed to send message #2 with the error message "Too Many Requests: retry after 8"';
  sandbox.faults.add({
    method: "sendMediaGroup",
    answer: { type: "partial", sent: 1, code: 400, description },
  });
  expect(await send(TWO)).toMatchObject({ status: 400, description });
  const [arrived, ...rest] = sandbox.messages(ANNA).filter(({ photo }) => photo);
  expect(arrived?.media_group_id).toBeDefined();
  expect(rest).toEqual([]);
});
