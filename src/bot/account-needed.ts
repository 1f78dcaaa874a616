import { Unavailable } from "../contract/errors.js";
import { type Gateway, NOT_CONNECTED } from "../ports/gateway.js";
import type { BotContext } from "./context.js";
import { isPrivate } from "./telegram/place.js";

/** Thrown when the person has connected no account. The error handler asks them to. */
export class NotConnectedError extends Error {
  override readonly name = "NotConnectedError";
  constructor() {
    super("no account is connected");
  }
}

/** Returns the gateway. Throws NotConnectedError. */
export function gatewayOf({ gateway }: Pick<BotContext, "gateway">): Gateway {
  if (gateway === NOT_CONNECTED) throw new NotConnectedError();
  return gateway;
}

/** True when the person has to connect a key first, or another one. */
export function needsAccount(error: unknown): boolean {
  if (error instanceof NotConnectedError) return true;
  return error instanceof Unavailable && error.reason === "account";
}

/** Tells what to do about `error`, as plain text. */
export function accountNeededText(error: unknown, ctx: BotContext): string {
  const { t } = ctx.language;
  const place = isPrivate(ctx) ? "" : "-group";
  return t(error instanceof NotConnectedError ? `connect-first${place}` : `connect-refused${place}`);
}
