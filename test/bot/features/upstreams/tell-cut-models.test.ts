import { expect, test } from "vitest";
import { tellCutModels } from "../../../../src/bot/features/upstreams/tell-cut-models.js";
import { texts } from "../../../support/drafts.js";
import { silentLogger } from "../../../support/log.js";

test("each admin reads in the own language that the list of models was cut", () => {
  const told: string[] = [];
  tellCutModels({
    api: { sendMessage: async (_to: number, text: string) => void told.push(text) } as never,
    service: { onModelsCut: (tell) => tell({ shown: 500, all: 10_000 }) },
    adminIds: new Set([1, 2]),
    languageOf: (id) => texts.in(id === 2 ? "ru" : "en"),
    logger: silentLogger(),
  });
  expect(told).toEqual([expect.stringContaining("10,000 models"), expect.stringContaining("первые 500")]);
});
