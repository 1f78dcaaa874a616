import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { ContractError } from "../../contract/errors.js";
import type { Api, Caller } from "../../ports/api.js";
import { countHeader } from "../count-header.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The owner of the key; null on routes without authentication. */
    caller: Caller | null;
  }
}

const BEARER = /^bearer(?:[ \t]+(.*))?$/i;

/** Returns a hook that requires a valid key before the body is read (section 5). */
export function authenticator(api: Pick<Api, "authenticate">) {
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    // Node keeps the first; a proxy before it may have judged the last.
    if (countHeader(request.raw.rawHeaders, "authorization") > 1) {
      done(new ContractError("invalid_api_key"));
      return;
    }
    const key = presentedKey(request);
    if (key === "") {
      done(new ContractError("api_key_required"));
      return;
    }
    const caller = api.authenticate(key);
    if (caller) {
      request.caller = caller;
      done();
    } else {
      done(new ContractError("invalid_api_key"));
    }
  };
}

/** Throws on a route without authentication. */
export function callerOf({ caller }: Pick<FastifyRequest, "caller">): Caller {
  if (!caller) throw new Error("the route takes no key");
  return caller;
}

/** Reads the key. A Bearer header takes precedence, even if it is empty. */
function presentedKey({ headers }: FastifyRequest): string {
  const bearer = headers.authorization === undefined ? null : BEARER.exec(headers.authorization.trim());
  if (bearer) return (bearer[1] ?? "").trim();
  const key = headers["x-api-key"];
  return typeof key === "string" ? key.trim() : "";
}
