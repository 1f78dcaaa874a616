import { describe, expect, test } from "vitest";
import {
  DELIVERY_MOVES,
  DELIVERY_STATES,
  type DeliveryMove,
  type DeliveryState,
  nextDeliveryState,
  nextOrderState,
  ORDER_MOVES,
  ORDER_STATES,
  type OrderMove,
  type OrderState,
} from "../../../../src/bot/orders/order.js";
import fc from "../../../support/fast-check.js";

const ORDER_TABLE: Record<OrderState, Partial<Record<OrderMove, OrderState>>> = {
  claimed: { accept: "accepted", refuse: "refused", mark_uncertain: "uncertain" },
  accepted: { finish_jobs: "delivering" },
  delivering: { close: "closed" },
  closed: { reopen: "delivering" },
  uncertain: { settle_charged: "accepted", settle_not_charged: "refused" },
  refused: { take_back_refusal: "accepted" },
};
const DELIVERY_TABLE: Record<DeliveryState, Partial<Record<DeliveryMove, DeliveryState>>> = {
  pending: {
    postpone: "pending",
    park: "parked",
    end_sent: "sent",
    end_failed: "failed",
    end_expired: "expired",
  },
  parked: { unpark: "pending", end_expired: "expired" },
  sent: {},
  failed: {},
  expired: { reopen: "pending" },
};
const ORDER_MOVE_NAMES = Object.keys(ORDER_MOVES) as OrderMove[];
const DELIVERY_MOVE_NAMES = Object.keys(DELIVERY_MOVES) as DeliveryMove[];

describe("each state allows its moves and no other", () => {
  test.each(ORDER_STATES)("an order that is %s", (state) => {
    const allowed = ORDER_MOVE_NAMES.map((move) => [move, nextOrderState(state, move)]);
    expect(allowed).toEqual(ORDER_MOVE_NAMES.map((move) => [move, ORDER_TABLE[state][move]]));
  });

  test.each(DELIVERY_STATES)("a delivery that is %s", (state) => {
    const allowed = DELIVERY_MOVE_NAMES.map((move) => [move, nextDeliveryState(state, move)]);
    expect(allowed).toEqual(DELIVERY_MOVE_NAMES.map((move) => [move, DELIVERY_TABLE[state][move]]));
  });
});

describe("whatever moves come in whatever order", () => {
  const orderMoves = fc.array(fc.constantFrom(...ORDER_MOVE_NAMES), { maxLength: 30 });

  /** The states of an order for which each forbidden move changes nothing. */
  function walk(moves: readonly OrderMove[]): OrderState[] {
    const states: OrderState[] = ["claimed"];
    for (const move of moves) {
      const from = states.at(-1) ?? "claimed";
      states.push(nextOrderState(from, move) ?? from);
    }
    return states;
  }

  const afterRefusal = (move: OrderMove) => (move === "take_back_refusal" ? "accepted" : "refused");

  test("an order that was refused stays refused, unless an admin takes that back", () => {
    fc.assert(
      fc.property(orderMoves, (moves) => {
        const states = walk(moves);
        // The state after each move; the first is the one before all moves.
        return moves.every((move, at) => states[at] !== "refused" || states[at + 1] === afterRefusal(move));
      }),
    );
  });

  test("an order is accepted at most once, and delivers only after that", () => {
    fc.assert(
      fc.property(orderMoves, (moves) => {
        const states = walk(moves);
        const entered = states.filter((state, at) => state === "accepted" && states[at - 1] !== "accepted");
        expect(entered.length).toBeLessThanOrEqual(1);
        const delivering = states.indexOf("delivering");
        if (delivering !== -1) expect(states.indexOf("accepted")).toBeLessThan(delivering);
      }),
    );
  });

  test("a delivery that was sent or has failed stays so", () => {
    const deliveryMoves = fc.array(fc.constantFrom(...DELIVERY_MOVE_NAMES), { maxLength: 30 });
    fc.assert(
      fc.property(deliveryMoves, (moves) => {
        let state: DeliveryState = "pending";
        for (const move of moves) {
          const isOver: boolean = state === "sent" || state === "failed";
          const next: DeliveryState = nextDeliveryState(state, move) ?? state;
          if (isOver) expect(next).toBe(state);
          state = next;
        }
      }),
    );
  });

  test("every open state has a way to its end", () => {
    const ends = (state: OrderState, seen: readonly OrderState[] = []): boolean =>
      state === "closed" ||
      state === "refused" ||
      Object.values(ORDER_TABLE[state]).some((next) => !seen.includes(next) && ends(next, [...seen, state]));
    expect(ORDER_STATES.filter((state) => !ends(state))).toEqual([]);
  });
});
