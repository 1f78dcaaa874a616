/** A person who may not order. What they have and what they paid for stays theirs. */
export interface Ban {
  reason: string | null;
  /** Milliseconds since the epoch at which it ends by itself; null: when an admin lifts it. */
  until: number | null;
  /** Milliseconds since the epoch. */
  since: number;
}

export interface NewBan extends Pick<Ban, "reason" | "until"> {
  userId: number;
  actor: string;
}

/** Bans of people who have an account. An order is refused in the transaction that would charge it. */
export interface Bans {
  /** Returns the ban that holds now. */
  of(userId: number): Ban | undefined;
  /** Bans a person, or changes the ban. `repeated`: the same one holds already. */
  ban(ban: NewBan): Promise<"done" | "repeated">;
  /** Resolves to false when no ban holds. */
  lift(userId: number, actor: string): Promise<boolean>;
}
