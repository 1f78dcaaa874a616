import { HttpError, type Transformer } from "grammy";
import type { TelegramConnections } from "./fetch.js";

/**
 * Sends calls of plain JSON straight to the connections, past grammY's own client: that builds a polyfilled
 * abort controller, a timer and a race of three promises for each call, which was a third of an update's cost.
 * Uploads, and calls that somebody may abort, go the ordinary way. Install it first, beneath all others.
 * @param root the address of the Bot API server, without a slash at the end
 */
export function directCalls(connections: TelegramConnections, root: string, token: string): Transformer {
  const base = new URL(`${root}/bot${token}/`);
  return async (call, method, payload, signal) => {
    if (signal !== undefined || holdsFile(payload)) return call(method, payload, signal);
    try {
      return (await connections.post(base, method, payload)) as Awaited<ReturnType<typeof call>>;
    } catch (error) {
      throw new HttpError(`Network request for '${method}' failed!`, error);
    }
  };
}

/** Methods that take files have them in these fields only; all others are spared the look. */
const FILE_FIELDS = [
  "photo",
  "document",
  "video",
  "audio",
  "voice",
  "animation",
  "sticker",
  "media",
  "thumbnail",
];

function holdsFile(payload: object): boolean {
  return FILE_FIELDS.some((field) => {
    const value: unknown = Reflect.get(payload, field);
    return typeof value === "object" && value !== null;
  });
}
