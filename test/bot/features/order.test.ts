import { beforeEach, describe, expect, test } from "vitest";
import { addDebt } from "../../../src/accounts/ledger-store.js";
import { eraseOrders } from "../../../src/bot/orders/own-orders.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, MAX } from "../../support/bot-harness.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { type Desk, deliveredOrder, openDesk, VERA } from "../../support/desk-world.js";
import { money, t } from "../../support/drafts.js";

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  await desk.say("/start");
});

const balance = () => desk.core.core.accounts.users.balanceOf(ANN.id);
const RETURN = t("button-refund", { sum: money(10_00) });
const SURE = t("button-refund-sure", { sum: money(10_00) });

describe("/order", () => {
  test("tells the story of an order in its order, with times and ids, by number and by id", async () => {
    const { number } = await deliveredOrder(desk);
    const told = await desk.max(`/order ${number}`);
    const story = [
      t("order-title", { number: String(number) }),
      "Ann",
      t("story-confirmed", { sum: money(10_00) }),
      t("story-charged", { sum: money(10_00) }),
      t("story-begun"),
      t("story-made"),
      t("story-delivered", { count: 1 }),
    ];
    const places = story.map((words) => told.indexOf(words));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(told.match(/<tg-time unix/g)).toHaveLength(5);
    expect(await desk.max(`/order #${number}`)).toBe(told);
    expect(await desk.max(`/order_${number}`)).toBe(told);
    expect(await desk.max("/order")).toContain(`/order_${number} · Nano`);
  });

  test("says of a forgotten person's order that it was delivered, and why nothing is left of it", async () => {
    const { number } = await deliveredOrder(desk);
    await desk.database.write("test:forget", (tx) => eraseOrders(tx, ANN.id, 9));
    const told = await desk.max(`/order ${number}`);
    expect(told).toContain(t("story-forgotten"));
    expect(told).toMatch(/ delivered$/);
  });

  test("sends the files again without an upload, and records who saw them", async () => {
    const { number } = await deliveredOrder(desk);
    await desk.max(`/order ${number}`);
    await desk.press(t("button-files"));
    expect(desk.telegram.payloadsOf("sendPhoto")).toMatchObject([{ chat_id: MAX.id, photo: "photo-0" }]);
    expect(desk.acts()[0]).toMatchObject({ act: "see-files", subject: "order:one", accountId: 1 });
    desk.telegram.failNext(
      "sendPhoto",
      refusal(400, "Bad Request: wrong file identifier/HTTP URL specified"),
    );
    await desk.press(t("button-files"));
    expect(desk.said().at(-1)).toBe(t("story-files-gone"));
  });

  test("returns the money once, after a question, and tells the person", async () => {
    const { number } = await deliveredOrder(desk);
    await desk.max(`/order ${number}`);
    await desk.press(RETURN);
    expect(await balance()).toBe(90_00);
    const really = desk.button(SURE);
    await Promise.all([desk.tap(really, 1, MAX), desk.tap(really, 1, MAX), desk.tap(really, 2, VERA)]);
    expect(await balance()).toBe(100_00);
    expect(desk.toldTo(ANN.id).filter((text) => text.includes("returned to you"))).toEqual([
      t("told-refund", { sum: money(10_00), number: String(number), model: "Nano", balance: money(100_00) }),
    ]);
    expect(desk.answered()).toContain(t("refund-done", { sum: money(10_00) }));
    expect([...desk.buttons().keys()]).not.toContain(RETURN);
    await desk.tap(really, 3, MAX);
    expect(await balance()).toBe(100_00);
    expect(desk.acts().filter(({ act }) => act === "refund")).toHaveLength(1);
    expect(await desk.max(`/order ${number}`)).toContain("(Max)");
  });

  test("tells the person of a return whose tap was handled again, as after a crash, and of no other's", async () => {
    const { number } = await deliveredOrder(desk);
    await desk.max(`/order ${number}`);
    await desk.press(RETURN);
    const really = desk.button(SURE);
    desk.telegram.failNext("sendMessage", brokenConnection());
    await desk.tap(really, 1, MAX);
    const told = () => desk.toldTo(ANN.id).filter((text) => text.includes("returned to you")).length;
    const before = told();
    await desk.tap(really, 2, VERA);
    expect(told()).toBe(before);
    await desk.tap(really, 3, MAX);
    expect(told()).toBe(before + 1);
    expect(await balance()).toBe(100_00);
  });

  test("tells what of a return paid the debt of a refund", async () => {
    const { number } = await deliveredOrder(desk);
    await desk.database.write("debt", (tx) => addDebt(tx, 1, asKopecks(4_00)));
    await desk.max(`/order ${number}`);
    await desk.press(RETURN);
    await desk.tap(desk.button(SURE), 1, MAX);
    expect(desk.toldTo(ANN.id).at(-1)).toContain(t("payment-debt", { debt: money(4_00) }));
    expect(await balance()).toBe(96_00);
  });

  test("is asked about again by a button that named another sum", async () => {
    const { number } = await deliveredOrder(desk);
    const before = await balance();
    await desk.tap(`ao:refund:${number}:500`, 1, MAX);
    expect(await balance()).toBe(before);
    expect(desk.labels()).toContain(SURE);
    await desk.tap(`ao:refund:${number}`, 1, MAX);
    expect(await balance()).toBe(before);
    expect(desk.answered()).toContain(t("tap-unknown"));
  });

  test("is named by its number to /refund too, which asks first", async () => {
    const { number } = await deliveredOrder(desk);
    expect(await desk.max(`/refund ${number}`)).toContain(
      t("refund-ask", { sum: money(10_00), number: String(number), name: "Ann", id: String(ANN.id) }),
    );
    expect(await balance()).toBe(90_00);
    await desk.press(SURE);
    expect(await balance()).toBe(100_00);
    expect(await desk.max(`/refund ${number}`)).toContain(t("order-title", { number: String(number) }));
    for (const word of ["4242", "P-4242"])
      expect(await desk.max(`/refund ${word}`)).toBe(t("payment-refund-unknown"));
    expect(await desk.max("/refund")).toBe(t("usage-refund"));
    await desk.say(`/refund ${number}`);
    expect(desk.said().at(-1)).not.toContain("Nano");
  });

  test("shows an order that was just confirmed, and offers nothing to return", async () => {
    const made = await desk.finishedOrder("two", ANN.id, [1]);
    const told = await desk.max(`/order ${made.number}`);
    expect(told).toContain(t("story-delivering", { attempts: 0, outcome: "" }));
    expect([...desk.buttons().keys()]).toEqual([t("button-account")]);
  });

  test.each(["/order 999", "/order nothing"])("%s is answered with what is wrong", async (command) => {
    const [, word = ""] = command.split(" ");
    expect(await desk.max(command)).toBe(t("order-unknown", { word }));
  });
});
