import { describe, expect, test } from "vitest";
import { orderData } from "../../../src/bot/orders/delivery/result-keyboard.js";
import { ContractError } from "../../../src/contract/errors.js";
import { ANN, GROUP, IN_GROUP, openBotHarness } from "../../support/bot-harness.js";
import { openBotWorld } from "../../support/bot-world.js";
import { t } from "../../support/drafts.js";
import { BOT } from "../../support/fake-telegram.js";
import { keepResults } from "../../support/kept-results.js";

const photo = (id: string, width: number, height: number) => [
  { file_id: id, file_unique_id: id, width, height },
];

test.each([
  ["application/octet-stream", undefined],
  ["IMAGE/JPEG", "A.JPG"],
  ["application/pdf", "scan.pdf"],
])(
  "a document labelled %s and named %s is a picture where its bytes say so",
  async (mime_type, file_name) => {
    const { send, card } = openBotHarness();
    const label = { ...(mime_type && { mime_type }), ...(file_name && { file_name }) };
    await send({ document: { file_id: "d", file_unique_id: "d", ...label }, caption: "in the snow" });
    expect(card()).toMatchObject({ text: "in the snow", parameters: { reference_urls: ["telegram:d"] } });
  },
);

test.each([
  ["image/svg+xml", "picture-not_picture"],
  ["application/zip", "picture-not_picture"],
  ["image/GIF", "unreadable-gif"],
])("a document of %s whose bytes are no picture is rejected, once for an album", async (mime_type, words) => {
  const publishReference = () => Promise.reject(new ContractError("bad_reference_url"));
  const { send, said, card } = openBotHarness({ gateway: { publishReference } });
  const document = { file_id: "d", file_unique_id: "d", mime_type };
  for (let piece = 0; piece < 3; piece += 1) await send({ document, media_group_id: "album" });
  expect(said()).toEqual([t(words)]);
  expect(card()).toBeUndefined();
});

test("a caption that says more is added to what the card describes", async () => {
  const { say, send, card } = openBotHarness();
  await send({ photo: photo("one", 90, 90) });
  await say("in anime style");
  await send({ photo: photo("two", 90, 90), caption: "and add this one too" });
  expect(card().text).toBe("in anime style, and add this one too");
  await send({ photo: photo("three", 90, 90), caption: "a red fox on a bridge" });
  expect(card().text).toBe("a red fox on a bridge");
});

test("a result of the bot that is forwarded to it is a photo without words", async () => {
  const { send, card } = openBotHarness();
  const forward_origin = { type: "user", date: 1, sender_user: BOT };
  const caption = "a fox\n\nNano Banana 2.1 · 10 ₽ · balance 290 ₽";
  await send({ photo: photo("one", 90, 90), caption, forward_origin } as never);
  expect(card()).toMatchObject({ text: null, parameters: { reference_urls: ["telegram:one"] } });
  await send({
    photo: photo("two", 90, 90),
    caption: "in the snow",
    forward_origin: { ...forward_origin, sender_user: ANN },
  } as never);
  expect(card()).toMatchObject({ text: "in the snow" });
});

test.each(["image", "video"])("a photo captioned with /%s opens its card in a group too", async (type) => {
  for (const [name, reply_to_message] of [
    ["@atelier_bot", undefined],
    ["@Atelier_Bot", { message_id: 5, date: 1, chat: GROUP, from: BOT, text: "x" }],
    ["", undefined],
  ]) {
    const { send, card } = openBotHarness();
    const caption = `/${type}${name} a fox runs`;
    await send({ ...IN_GROUP, reply_to_message, photo: photo("one", 90, 90), caption } as never);
    expect(card(GROUP.id)).toMatchObject({ type, text: "a fox runs" });
  }
  const { send, calls } = openBotHarness();
  await send({ ...IN_GROUP, photo: photo("one", 90, 90), caption: `/${type}@other_bot a fox runs` });
  expect(calls).toEqual([]);
});

test("a picture beyond Telegram's 20 MB is refused in words, and the open card stays as it is", async () => {
  const { say, send, said, card } = openBotHarness();
  await say("a tower");
  const before = card();
  const file_size = 20 * 1024 * 1024 + 1;
  await send({ document: { file_id: "d", file_unique_id: "d", mime_type: "image/png", file_size } });
  expect([said().at(-1), card()]).toEqual([t("picture-too_large"), before]);
});

describe("the format of a card with a photo", () => {
  test("follows the photo to a command and to a model with other formats", async () => {
    const bot = openBotHarness();
    await bot.send({ photo: photo("one", 720, 1280), caption: "blue" });
    await bot.say("/video");
    expect(bot.card().parameters.aspect_ratio).toBe("9:16");
    await bot.send({ photo: photo("one", 800, 800), caption: "/video it rains" });
    await bot.press("🎨");
    await bot.press("Kling 4.0");
    expect(bot.card().parameters.aspect_ratio).toBe("1:1");
  });

  test("that cuts the edges off is told, with models that do not, and not where it fits", async () => {
    const bot = openBotHarness();
    const cropped = t("picture-cropped", { picture: "1:1", video: "16:9" });
    await bot.send({ photo: photo("one", 800, 800), caption: "/video it rains" });
    expect(bot.said().at(-1)).toContain(cropped);
    expect(bot.said().at(-1)).toMatch(/These take all of it: .*Kling 4\.0/);
    await bot.press("🎨");
    await bot.press("Kling 4.0");
    expect(bot.said().at(-1)).not.toContain("✂️");
    await bot.send({ photo: photo("two", 720, 1280), caption: "/video it rains" });
    expect(bot.said().at(-1)).not.toContain("✂️");
  });

  test.each([
    [1080, 2400, "9:21", "9:16"],
    [2000, 1000, "2:1", "16:9"],
  ])("is never told as the one that cuts it: %i x %i", async (width, height, picture, video) => {
    const bot = openBotHarness();
    await bot.send({ photo: photo("one", width, height), caption: "/video it rains" });
    expect(bot.said().at(-1)).toContain(t("picture-cropped", { picture, video }));
  });

  test("stays the one that the person chose, and is that of the first photo", async () => {
    const bot = openBotHarness();
    await bot.say("/video it rains");
    await bot.press("Ratio");
    await bot.press("• 16:9");
    await bot.send({ photo: photo("one", 720, 1280) });
    expect(bot.card().parameters.aspect_ratio).toBe("16:9");
    await bot.send({ photo: photo("two", 720, 1280), caption: "/video it snows" });
    await bot.send({ photo: photo("three", 1280, 720) });
    const expected = { aspect_ratio: "9:16", end_frame_url: "telegram:three" };
    expect(bot.card().parameters).toMatchObject(expected);
  });

  test("goes with the photo", async () => {
    const bot = openBotHarness();
    await bot.send({ photo: photo("one", 720, 1280), caption: "/video it rains" });
    await bot.press("⚙️");
    await bot.press("Start frame");
    await bot.press(t("button-remove"));
    expect(bot.card().parameters).toMatchObject({ aspect_ratio: "16:9" });
    expect(bot.card().parameters).not.toHaveProperty("start_frame_url");
  });
});

test("a video card with one photo says what a second one becomes", async () => {
  const bot = openBotHarness();
  await bot.send({ photo: photo("one", 800, 600), caption: "/video it rains" });
  expect(bot.said().at(-1)).toContain(t("picture-next-end-frame-url"));
  await bot.send({ photo: photo("two", 800, 600) });
  expect(bot.said().at(-1)).not.toContain(t("picture-next-end-frame-url"));
});

test.each([{}, { reference_urls: ["result:9"] }])(
  "the video of a picture has its format and begins without its words (%o)",
  async (request) => {
    const bot = openBotHarness();
    const asked = { type: "image", model_key: "nano-banana-2", prompt: "add a scarf", aspect_ratio: "9:16" };
    await bot.finishedOrder("one", ANN.id, [1], { ...asked, ...request } as never);
    keepResults(bot.gateway);
    const sent = { index: 0, track: 0, messageId: 50, fileId: "photo-0", as: "photo" } as const;
    await bot.orders.saveFiles("one", [sent], ANN.id);
    await bot.tap(orderData.encode({ action: "picture", orderId: "one", made: "animate" }), 50);
    expect(bot.card()).toMatchObject({ type: "video", text: null, parameters: { aspect_ratio: "9:16" } });
    expect(bot.said().at(-1)).toContain(t("need-prompt-video-photos"));
  },
);

test("an album whose first picture speaks to the bot in a group is taken whole, and no other album", async () => {
  const { send, card } = openBotHarness();
  const piece = (media_group_id: string, file_id: string, caption?: string) =>
    send({ ...IN_GROUP, media_group_id, photo: photo(file_id, 90, 90), ...(caption && { caption }) });
  await piece("mine", "a", "@atelier_bot merge them");
  await piece("other", "x");
  await piece("mine", "b");
  await piece("mine", "c");
  const reference_urls = ["telegram:a", "telegram:b", "telegram:c"];
  expect(card(GROUP.id)).toMatchObject({ text: "merge them", parameters: { reference_urls } });
});

test("an album of a group is taken whole where the process ended between its pictures", async () => {
  const world = openBotWorld();
  const piece = (message_id: number, caption?: string) => {
    const picture = { message_id, media_group_id: "mine", photo: photo(`${message_id}`, 90, 90) };
    return { ...IN_GROUP, ...picture, ...(caption && { caption }) };
  };
  await openBotHarness({ world }).send(piece(1001, "@atelier_bot merge them"));
  const { send, card } = openBotHarness({ world });
  await send(piece(1002));
  await send(piece(1003));
  const reference_urls = ["telegram:1001", "telegram:1002", "telegram:1003"];
  expect(card(GROUP.id)).toMatchObject({ text: "merge them", parameters: { reference_urls } });
});
