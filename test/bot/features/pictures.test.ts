import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";

const PHOTO = [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }];

test("a photo opens a card that holds it, with its caption as the prompt", async () => {
  const { send, drafts } = openBotHarness();
  await send({ photo: PHOTO, caption: "in the snow" });
  const draft = withText(drafts.composing(ANN.id, ANN.id));
  expect(draft?.text).toBe("in the snow");
  expect(JSON.stringify(draft?.parameters)).toContain("photo-1");
});

test.each([
  ["application/octet-stream", "IMG_1.jpg"],
  ["application/octet-stream", undefined],
  [undefined, undefined],
  ["image/jpg", "a.jpg"],
  ["IMAGE/JPEG", "A.JPG"],
  ["image/heic", "IMG_2.HEIC"],
  ["application/pdf", "scan.pdf"],
])(
  "a document labelled %s and named %s is a picture where its bytes say so",
  async (mime_type, file_name) => {
    const { send, drafts } = openBotHarness();
    const label = { ...(mime_type && { mime_type }), ...(file_name && { file_name }) };
    await send({ document: { file_id: "d", file_unique_id: "d", ...label }, caption: "in the snow" });
    expect(drafts.composing(ANN.id, ANN.id)?.parameters).toMatchObject({ reference_urls: ["telegram:d"] });
  },
);

test.each([
  ["image/svg+xml", "picture-not_picture"],
  ["application/zip", "picture-not_picture"],
  ["image/GIF", "unreadable-gif"],
])("a document of %s whose bytes are no picture is rejected, once for an album", async (mime_type, words) => {
  const publishReference = () => Promise.reject(new ContractError("bad_reference_url"));
  const { send, said, drafts } = openBotHarness({ gateway: { publishReference } });
  const document = { file_id: "d", file_unique_id: "d", mime_type };
  for (let piece = 0; piece < 3; piece += 1) await send({ document, media_group_id: "album" });
  expect(said()).toEqual([texts.in("en").t(words)]);
  expect(withText(drafts.composing(ANN.id, ANN.id))).toBeUndefined();
});
