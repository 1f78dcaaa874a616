import { describe, expect, test } from "vitest";
import { toModel } from "../../../../src/bot/card/form/change-model.js";
import {
  carriedOver,
  evaluateForm,
  leftOutBy,
  noticesOf,
} from "../../../../src/bot/card/form/evaluate-form.js";
import { fieldsOf, type Parameters } from "../../../../src/bot/card/form/fields.js";
import { chatPicture, takesStartFrame } from "../../../../src/bot/card/form/picture-fields.js";
import { startingParameters } from "../../../../src/bot/card/form/starting-parameters.js";
import type { Model } from "../../../../src/contract/model.js";
import { draftOn, modelNamed, modelsOf } from "../../../support/drafts.js";

const photo = chatPicture("A");

/** What a card holds after its model was changed. */
function changed(
  from: string,
  set: Parameters,
  to: string,
  last: Record<string, Parameters> = {},
  chosen: readonly string[] = [],
) {
  const model = modelNamed(from);
  const parameters = { ...startingParameters(model, last[from] ?? {}), ...set };
  const draft = draftOn(model, { parameters, chosen });
  return toModel(draft, model, modelNamed(to), last[to] ?? {}).parameters;
}

describe("a change of the model", () => {
  test("keeps the settings of the card, and resets values that the new model does not offer", () => {
    const set = { aspect_ratio: "5:4", resolution: "4K", count: 3 };
    expect(changed("nano-banana-2", set, "z-image-turbo")).toMatchObject({
      aspect_ratio: "1:1",
      resolution: "1K",
      count: 3,
    });
  });

  test("keeps the starting values of the card, and a default only if it was chosen", () => {
    const last = {
      "nano-banana-2": { aspect_ratio: "16:9", resolution: "4K" },
      "nano-banana-pro": { aspect_ratio: "9:16", resolution: "2K" },
    };
    const set = { resolution: "1K" };
    expect(changed("nano-banana-2", set, "nano-banana-pro", last)).toMatchObject({
      aspect_ratio: "16:9",
      resolution: "2K",
    });
    expect(changed("nano-banana-2", set, "nano-banana-pro", last, ["resolution"])).toMatchObject({
      resolution: "1K",
    });
  });

  test("clamps numbers to the new bounds and keeps disabled toggles off", () => {
    const last = { "veo-3-1": { sound: true }, "kling-4": { sound: true } };
    expect(changed("veo-3-1", { sound: false, duration_sec: 8 }, "kling-4", last, ["sound"])).toMatchObject({
      sound: false,
      duration_sec: 5,
    });
    expect(changed("music:suno-v5", { style_weight: 0.4 }, "music:suno-v4-5")).toMatchObject({
      style_weight: 0.4,
    });
  });
});

test("a single picture starts with the aspect ratio auto where the model offers it, until one is chosen", () => {
  const [from, to] = [modelNamed("seedream-5"), modelNamed("nano-banana-2")];
  const parameters = { ...startingParameters(from, {}), reference_urls: [photo] };
  const formatWith = (chosen: string[]) =>
    toModel(draftOn(from, { parameters, chosen }), from, to, {}).parameters?.aspect_ratio;
  expect(formatWith([])).toBe("auto");
  expect(formatWith(["aspect_ratio"])).toBe("1:1");
});

const takers = modelsOf("image").filter((model) => fieldsOf(model).pictures.length > 0);

/** The draft after a command of another kind. */
function withKind(draft: ReturnType<typeof draftOn>, from: Model, to: Model) {
  const { parameters, chosen } = carriedOver(draft, from, modelsOf(to.type));
  const listed = draftOn(to, { modelKey: null, parameters, chosen });
  return { ...listed, ...toModel(listed, undefined, to, {}) };
}

test("a change of the kind keeps the picture between every image model and every video model", () => {
  for (const image of takers)
    for (const video of modelsOf("video").filter((one) => takesStartFrame(fieldsOf(one)))) {
      const parameters = { ...startingParameters(image, {}), reference_urls: [photo] };
      const filmed = withKind(draftOn(image, { parameters }), image, video);
      expect(filmed).toMatchObject({ parameters: { start_frame_url: photo } });
      expect(filmed.parameters).not.toHaveProperty("reference_urls");
      const drawn = withKind(filmed, video, image);
      expect(drawn).toMatchObject({ parameters: { reference_urls: [photo] } });
    }
});

test("a change of the model keeps surplus pictures, and the card says which ones are used", () => {
  const roomOf = (model: Model) => fieldsOf(model).pictures.reduce((sum, { max }) => sum + max, 0);
  const [small, large] = takers
    .toSorted((one, other) => roomOf(one) - roomOf(other))
    .filter((_model, place, all) => place === 0 || place === all.length - 1);
  if (!small || !large || roomOf(small) >= roomOf(large)) throw new Error("all take as many");
  const pictures = Array.from({ length: roomOf(large) }, (_, n) => chatPicture(String(n)));
  const draft = draftOn(large, { parameters: { reference_urls: pictures } });
  const { parameters = {} } = toModel(draft, large, small, {});
  expect(leftOutBy(draft, large, small, parameters)).toEqual({ settings: [], pictures: 0 });
  expect(noticesOf(evaluateForm(small, { parameters }), parameters)).toContainEqual({
    kind: "pictures_cut",
    max: roomOf(small),
    given: roomOf(large),
  });
});
