/** The chat of operators, where people of support have their topics. */
export const SUPPORT_CHAT = -700;

/** Photos that a person sent as one media group. */
export interface Album {
  userId: number;
  photos: readonly string[];
  /** It began a card of pictures, which has room for all of them. */
  isWhole: boolean;
}

/** What was done in the group, by whom: nobody else pays for it. */
export interface GroupBook {
  /** Who wrote the words of a name. */
  writers: Map<string, number>;
  /** Who tapped what pays for a card, by the card's number. */
  payers: Map<string, Set<number>>;
  /** Who ordered once more what somebody had: such an order has the other's words and card. */
  takers: Set<number>;
}

/** What admins wrote in topics, and to whom. */
export interface SupportBook {
  answers: { text: string; userId: number }[];
}
