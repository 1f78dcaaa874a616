import { describe, expect, test } from "vitest";
import { Drafts } from "../../../src/bot/create/drafts.js";
import { openBotWorld } from "../../support/bot-world.js";

const NEW_DRAFT = {
  userId: 7,
  chatId: 7,
  threadId: null,
  view: { kind: "card" },
  type: "image",
  modelKey: "nano-banana-2",
  parameters: {},
  prompt: "a fox",
  promptMessageId: null,
  takenMessageId: null,
} as const;

test("an order's status stands where its card stands by now, not where it stood when the tap was read", async () => {
  const { drafts, orders } = openBotWorld();
  const { draft } = await drafts.open(NEW_DRAFT);
  await drafts.setMessage(draft, 40);
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: 1000 };
  expect((await orders.claim({ orderId: "one", ...claim }))?.statusMessageId).toBe(40);
});

async function claimOrder() {
  const world = openBotWorld();
  const { drafts, orders } = world;
  const { draft } = await drafts.open(NEW_DRAFT);
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: 1000 };
  const order = await orders.claim({ orderId: "one", ...claim });
  if (!order) throw new Error("not claimed");
  /** The draft of the order, by memory and by the rows. */
  const draftStates = () =>
    [drafts, new Drafts(world.database, world.clock)].map((stored) => stored.find(draft.id)?.state);
  return { ...world, order, draftStates };
}

describe("an order that was refused", () => {
  test("gives its draft back", async () => {
    const { orders, order, draftStates } = await claimOrder();
    expect(await orders.refuse(order)).toMatchObject({ id: order.draftId, state: "composing" });
    expect(draftStates()).toEqual(["composing", "composing"]);
  });

  test("leaves its draft to the one that its person has begun since", async () => {
    const { drafts, orders, order, draftStates } = await claimOrder();
    const { draft: next } = await drafts.open(NEW_DRAFT);
    expect(await orders.refuse(order)).toBeUndefined();
    expect(draftStates()).toEqual(["replaced", "replaced"]);
    expect(drafts.composing(7, 7)).toEqual(next);
  });

  test("the second time changes nothing", async () => {
    const { orders, order, draftStates } = await claimOrder();
    await orders.refuse(order);
    expect(await orders.refuse(order)).toBeUndefined();
    expect(draftStates()).toEqual(["composing", "composing"]);
  });
});

test("only an order of unknown outcome is uncertain by its draft", async () => {
  const { orders, order } = await claimOrder();
  expect(orders.isUncertain(order.draftId)).toBe(false);
  await orders.markUncertain(order);
  expect(orders.isUncertain(order.draftId)).toBe(true);
  expect(orders.isUncertain(order.draftId + 1)).toBe(false);
});
