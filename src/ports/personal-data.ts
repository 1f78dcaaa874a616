/** One part of what is stored about a person, such as `orders`. Rows are plain JSON and are read as they are taken. */
export interface DataSection {
  name: string;
  rows: Iterable<Readonly<Record<string, unknown>>>;
}

/** Stored about people's accounts: told to them on request, and erased on request. Money rows stay, without words. */
export interface PersonalData {
  /** Yields nothing for a user without an account. */
  sections(userId: number): Iterable<DataSection>;
  /**
   * Stores that everything of the user is to be erased, with the act. False when that is stored already, or when the
   * user has no account.
   */
  askToErase(userId: number, actor: string): Promise<boolean>;
  isErasureAsked(userId: number): boolean;
  /** Lists the users whose data are to be erased. */
  toErase(): number[];
  hasOpenJobs(userId: number): boolean;
  /** Erases what the account has, in steps. A repeat after a crash goes on. Resolves early when `signal` is aborted. */
  erase(userId: number, signal: AbortSignal): Promise<void>;
  /** Records that everything is erased. Called when the front-end has erased its part too. */
  finishErasure(userId: number): Promise<void>;
}
