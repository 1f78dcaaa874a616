import type { Json } from "../../../mapping/mapping.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PublishedEntry } from "./published-model.js";

/**
 * Asks an address of a publisher's hosts, without a key.
 * @param query sent as the body of a POST, where the address takes one
 * @throws NoAnswerError; NoCatalogueError where a limit of the whole check is reached
 */
export type AskPublisher = (url: string, query?: Json) => Promise<HttpAnswer>;

/** What a service tells of its models to everybody. */
export interface Publisher {
  hosts: readonly string[];
  /** Where it stands, for people. */
  page: string;
  /** What is not compared, and why. */
  notCompared?: string;
  /**
   * @returns an entry for each endpoint
   * @throws where the catalogue cannot be read as a whole
   */
  read(ask: AskPublisher, endpoints: readonly string[]): Promise<ReadonlyMap<string, PublishedEntry>>;
}

/** What came is no catalogue. */
export class NoCatalogueError extends Error {
  override readonly name = "NoCatalogueError";
}

/** Nothing came of one call. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}
