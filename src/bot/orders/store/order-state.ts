/**
 * `claimed`: confirmed, perhaps submitted; `accepted`: jobs are running; `delivering`: all jobs have ended; `closed`:
 * files sent or failure reported; `refused`: not charged; `uncertain`: it is unknown whether it was charged.
 */
export const ORDER_STATES = ["claimed", "accepted", "delivering", "closed", "refused", "uncertain"] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/**
 * `pending`: to be sent or retried; `parked`: the person has blocked or never started the bot; `failed`:
 * Telegram will never take it; `expired`: the person did not return in time.
 */
export const DELIVERY_STATES = ["pending", "parked", "sent", "failed", "expired"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Maps each move to its target state, by source state. Unlisted moves are forbidden. */
type Moves<State extends string> = Readonly<Record<string, Readonly<Partial<Record<State, State>>>>>;

export const ORDER_MOVES = {
  accept: { claimed: "accepted" },
  refuse: { claimed: "refused" },
  mark_uncertain: { claimed: "uncertain" },
  settle_charged: { uncertain: "accepted" },
  settle_not_charged: { uncertain: "refused" },
  take_back_refusal: { refused: "accepted" },
  finish_jobs: { accepted: "delivering" },
  close: { delivering: "closed" },
  reopen: { closed: "delivering" },
} as const satisfies Moves<OrderState>;
export type OrderMove = keyof typeof ORDER_MOVES;

export const DELIVERY_MOVES = {
  postpone: { pending: "pending" },
  park: { pending: "parked" },
  unpark: { parked: "pending" },
  end_sent: { pending: "sent" },
  end_failed: { pending: "failed" },
  end_expired: { pending: "expired", parked: "expired" },
  reopen: { expired: "pending" },
} as const satisfies Moves<DeliveryState>;
export type DeliveryMove = keyof typeof DELIVERY_MOVES;

export function nextOrderState(from: OrderState, move: OrderMove): OrderState | undefined {
  const moves: Readonly<Partial<Record<OrderState, OrderState>>> = ORDER_MOVES[move];
  return moves[from];
}

export function nextDeliveryState(from: DeliveryState, move: DeliveryMove): DeliveryState | undefined {
  const moves: Readonly<Partial<Record<DeliveryState, DeliveryState>>> = DELIVERY_MOVES[move];
  return moves[from];
}
