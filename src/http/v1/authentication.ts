import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { ContractError } from "../../contract/errors.js";
import type { ApiDoor, Caller } from "../../core/core.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose key came with the request; null on routes that need none. */
    caller: Caller | null;
  }
}

const BEARER = /^bearer(?:[ \t]+(.*))?$/i;

/** A hook that lets only valid keys pass, before anything of the body is read (section 5). */
export function authenticator(api: Pick<ApiDoor, "authenticate">) {
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
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

/** @throws when the route was declared without a need for a key */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error("the route takes no key");
  return caller;
}

/** The key of a request, empty where there is none. A Bearer header decides alone, also when it is empty. */
function presentedKey({ headers }: FastifyRequest): string {
  const bearer = headers.authorization === undefined ? null : BEARER.exec(headers.authorization.trim());
  if (bearer) return (bearer[1] ?? "").trim();
  const key = headers["x-api-key"];
  return typeof key === "string" ? key.trim() : "";
}
