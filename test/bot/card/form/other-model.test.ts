import { expect, test } from "vitest";
import { otherModel } from "../../../../src/bot/card/form/fitting-models.js";
import { catalogue } from "../../../support/core.js";

const { models } = catalogue;
const asked = (model_key: string) => ({
  type: "music" as const,
  model_key,
  mode: "description",
  description: "a slow song about a train",
});

function otherThan(model_key: string): string | undefined {
  return otherModel(asked(model_key), models, undefined)?.form.model.model_key;
}

test("the next model is never one whose place another has taken", () => {
  expect(otherThan("music:suno-v6")).toBe("music:elevenlabs");
  expect(otherThan("music:minimax")).toBe("music:suno-v6");
});

test("for one that was ordered before, the model that took its place is no other one", () => {
  expect(otherThan("music:suno-v5")).toBe("music:elevenlabs");
  expect(otherThan("music:suno-v4-5")).toBe("music:elevenlabs");
});
