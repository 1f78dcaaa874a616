import { describe, expect, test } from "vitest";
import { toModel } from "../../../../src/bot/card/form/change-model.js";
import { carriedOver, evaluateForm, leftOutBy } from "../../../../src/bot/card/form/evaluate-form.js";
import { fieldsOf } from "../../../../src/bot/card/form/fields.js";
import { chatPicture, takesStartFrame } from "../../../../src/bot/card/form/picture-fields.js";
import { startingParameters } from "../../../../src/bot/card/form/starting-parameters.js";
import type { GenerationType, Model } from "../../../../src/contract/model.js";
import { catalogue } from "../../../support/core.js";
import { draftOn } from "../../../support/drafts.js";

const PHOTO = chatPicture("A");
const ofType = (type: GenerationType) => catalogue.models.filter((model) => model.type === type);
const takers = ofType("image").filter((model) => fieldsOf(model).pictures.length > 0);

/** The draft after a command of another kind. */
function withKind(draft: ReturnType<typeof draftOn>, from: Model, to: Model) {
  const { parameters, chosen } = carriedOver(draft, from, ofType(to.type));
  const listed = draftOn(to, { modelKey: null, parameters, chosen });
  return { ...listed, ...toModel(listed, undefined, to, {}) };
}

describe("a change of the kind", () => {
  test("keeps the picture between every image model and every video model", () => {
    for (const image of takers)
      for (const video of ofType("video").filter((one) => takesStartFrame(fieldsOf(one)))) {
        const parameters = { ...startingParameters(image, {}), reference_urls: [PHOTO] };
        const filmed = withKind(draftOn(image, { parameters }), image, video);
        expect(filmed).toMatchObject({ parameters: { start_frame_url: PHOTO } });
        const drawn = withKind(filmed, video, image);
        expect(drawn).toMatchObject({ parameters: { reference_urls: [PHOTO] } });
      }
  });

  test("neither adds nor reports defaults that nobody chose", () => {
    const [image] = takers;
    if (!image) throw new Error("no model takes pictures");
    expect(carriedOver(draftOn(image, { text: "a fox" }), image, ofType("music"))).toEqual({
      parameters: {},
      chosen: [],
      leftOut: { settings: [], pictures: 0 },
    });
  });
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
  const { notices } = evaluateForm(small, { parameters });
  expect(notices).toContainEqual({
    kind: "pictures_cut",
    max: roomOf(small),
    given: roomOf(large),
  });
});
