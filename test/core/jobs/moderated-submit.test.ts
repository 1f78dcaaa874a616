import { expect, test, vi } from "vitest";
import { Unavailable } from "../../../src/contract/errors.js";
import type { Moderation } from "../../../src/moderation/moderation.js";
import { IMAGE, MUSIC, openTestCore, order } from "../../support/core.js";

const refusing = (word: string): Moderation => ({
  allows: async (texts) => !texts.some((text) => text.includes(word)),
});

test.each([
  ["a prompt", { ...IMAGE, prompt: "a forbidden fox" }],
  ["a description", { ...MUSIC, description: "a forbidden slow song" }],
  ["a title", { ...MUSIC, title: "forbidden" }],
])(
  "a submit with refused words in %s charges nothing, by the chat and by the API",
  async (_what, request) => {
    const world = openTestCore({ moderation: refusing("forbidden") });
    const ann = await world.person(1, 100_00);
    const refusal = { code: "content_refused" };
    await expect(order(ann, "one", request)).rejects.toMatchObject(refusal);
    await expect(world.core.routes.api.submit(1, request)).rejects.toMatchObject(refusal);
    expect(await ann.balance()).toEqual({ currency: "RUB", amount: 100 });
  },
);

test.each([
  ["without money", 0, "insufficient_funds"],
  ["that is banned", 100_00, "account_banned"],
])(
  "an account %s is refused before the words are judged, by the chat and by the API",
  async (_who, kopecks, code) => {
    const allows = vi.fn<Moderation["allows"]>(async () => true);
    const world = openTestCore({ moderation: { allows } });
    const ann = await world.person(1, 100_00);
    await order(ann, "one");
    expect(allows).toHaveBeenCalledOnce();
    const bob = await world.person(2, kopecks);
    if (code === "account_banned")
      await world.core.accounts.users.ban({ userId: 2, reason: null, until: null, actor: "test" });
    await expect(order(bob, "two")).rejects.toMatchObject({ code });
    await expect(world.core.routes.api.submit(2, IMAGE)).rejects.toMatchObject({ code });
    expect(allows).toHaveBeenCalledOnce();
  },
);

test("where nobody can judge, nothing is charged and a later try is safe", async () => {
  const down: Moderation = { allows: () => Promise.reject(new Unavailable("moderation")) };
  const world = openTestCore({ moderation: down });
  const ann = await world.person(1, 100_00);
  await expect(order(ann, "one")).rejects.toThrow(Unavailable);
  expect(await ann.balance()).toEqual({ currency: "RUB", amount: 100 });
});
