import type { Transaction } from "../database/transaction.js";
import type { DataSection } from "../ports/personal-data.js";

/** What a part of the bot stores about a person. */
export interface OwnData {
  /** Tells it. Absent for what is no news to the person, such as who was sent a message. */
  sections?(userId: number): Iterable<DataSection>;
  /** Erases it, in a transaction with the other parts. */
  eraseIn(tx: Transaction, userId: number): void;
}

/** Lists the parts that store something about people: those of the bot itself, then those of its features. */
export class OwnDataParts {
  readonly #parts: OwnData[];

  constructor(parts: readonly OwnData[]) {
    this.#parts = [...parts];
  }

  add({ ownData }: { ownData?: OwnData }): void {
    if (ownData) this.#parts.push(ownData);
  }

  *sections(userId: number): Iterable<DataSection> {
    for (const part of this.#parts) yield* part.sections?.(userId) ?? [];
  }

  eraseIn(tx: Transaction, userId: number): void {
    for (const part of this.#parts) part.eraseIn(tx, userId);
  }
}
