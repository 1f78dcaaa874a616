/** A text that people agree to. Another version of it is another text. */
export interface AgreedText {
  /** Name of the document, such as `terms`. */
  document: string;
  version: string;
}

export interface Consent extends AgreedText {
  /** Milliseconds since the epoch. */
  at: number;
}

/** Keeps to which texts people agreed, and when. */
export interface Consents {
  /** Tells whether a person has agreed to each of the texts. */
  hasAgreed(userId: number, texts: readonly AgreedText[]): boolean;
  /** Lists to what a person has agreed, the newest first, at most `limit`. */
  of(userId: number, limit: number): readonly Consent[];
  /** Records an agreement of a person who has an account. The first one of each text counts. */
  agree(userId: number, texts: readonly AgreedText[]): Promise<void>;
}
