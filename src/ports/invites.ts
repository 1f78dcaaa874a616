import type { Kopecks } from "../contract/money.js";
import type { User } from "./gateway.js";

/** What an invitation brings, after the first top-up of at least the larger of both sums. */
export interface InviteSums {
  inviterKopecks: Kopecks;
  invitedKopecks: Kopecks;
}

/** An invited person with the one who invited them. Users are as the front-end knows them. */
export interface Invite extends InviteSums {
  /** Number of the invited person's account. */
  id: number;
  inviterId: number | undefined;
  invitedId: number | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  /** Time of the top-up that brought the sums; null before it. */
  rewardedAt: number | null;
  /** How often the sums were credited. */
  rewards: number;
  /** Set while the sums are taken back, as their top-up was. */
  takenBackAt: number | null;
  /** What the balances lacked then. */
  inviterOwedKopecks: Kopecks;
  invitedOwedKopecks: Kopecks;
}

export interface InviteCounts {
  invited: number;
  rewarded: number;
}

export interface Invites {
  readonly sums: InviteSums;
  /** The most invitations of a person that bring them something in a calendar month (UTC). */
  readonly perMonthMax: number;
  /** Returns the person's code, which stays the same. */
  codeOf(user: User): Promise<string>;
  /**
   * Binds a new person to the owner of a code, once.
   * @param sentAt when the person's message was sent, in ms since the epoch: an older account is not bound
   * @returns false where nothing was bound
   */
  bind(user: User, code: string, sentAt: number): Promise<boolean>;
  countsOf(userId: number): InviteCounts;
  /** Returns the newest invitations. */
  list(limit: number): Invite[];
  /** Returns invitations whose people were not told yet of a reward, or that it was taken back, the oldest first. */
  untold(limit: number): Invite[];
  /** Marks an invitation as told, unless it has moved since it was read. */
  markTold(told: Invite): Promise<void>;
}
