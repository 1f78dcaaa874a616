/** The moment at which a text is judged: as a person sends it, or as an order is submitted. */
export type ModeratedPlace = "chat" | "submit";

/** Judges words before anything is paid. What it refuses is never kept or logged. */
export interface Moderation {
  /**
   * Tells whether the texts may be made.
   * @throws Unavailable at a submit, where nobody can tell and the operator lets nothing pass then
   */
  allows(texts: readonly string[], place: ModeratedPlace): Promise<boolean>;
}

/** Lets everything pass. */
export const noModeration: Moderation = { allows: async () => true };
