import type { Json } from "../../../catalogue/json.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PublishedEntry } from "./published-model.js";

/**
 * Asks an address of a publisher's hosts, without a key. Throws NoAnswerError; NoCatalogueError where a limit of the
 * whole check is reached.
 * @param query sent as the body of a POST, where the address takes one
 */
export type AskPublisher = (url: string, query?: Json) => Promise<HttpAnswer>;

/** What a service tells of its models to everybody. */
export interface Publisher {
  hosts: readonly string[];
  page: string;
  /** What is not compared, and why. */
  notCompared?: string;
  /** Reads an entry for each endpoint. Throws where the catalogue cannot be read as a whole. */
  read(ask: AskPublisher, endpoints: readonly string[]): Promise<ReadonlyMap<string, PublishedEntry>>;
}

/** Thrown when what came is no catalogue. */
export class NoCatalogueError extends Error {
  override readonly name = "NoCatalogueError";
}

/** Thrown when nothing came of one call. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}
