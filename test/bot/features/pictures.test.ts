import { expect, test } from "vitest";
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

test("a file that is not a picture is rejected, once for an album", async () => {
  const { send, said, drafts } = openBotHarness();
  const document = { file_id: "d", file_unique_id: "d", mime_type: "image/svg+xml", file_name: "a.svg" };
  for (let piece = 0; piece < 3; piece += 1) await send({ document, media_group_id: "album" });
  expect(said()).toEqual([texts.in("en").t("picture-not_picture")]);
  expect(withText(drafts.composing(ANN.id, ANN.id))).toBeUndefined();
});
