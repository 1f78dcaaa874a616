import type { Upstreams } from "@atelier/upstream-stand-ins";
import { mappingFor, type Operation, operationOf } from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import type { HttpAnswer } from "../../src/platform/http-exchange.js";
import type { PollOutcome, UpstreamAdapter, UpstreamCall } from "../../src/providers/adapter.js";
import { wholeCatalogue } from "../mapping/mappings.js";

export const catalogue = wholeCatalogue();
export const POLLS_MAX = 8;
const ATTEMPT = { id: "3f0c8a4e-7c55-4b0e-9b06-5d6c8a0b9f11", callbackUrl: "https://callback.invalid/" };

/** Maps a request for a service; undefined where no mapping takes it. */
export function operationFor(service: string, request: GenerationRequest): Operation | undefined {
  const entry = catalogue.entries.find(({ model_key }) => model_key === request.model_key);
  const found = mappingFor(entry?.mappings[service] ?? [], request);
  if (!("mapping" in found)) return undefined;
  const operation = operationOf(found.mapping, request, { seed: 7, tracks: 2 });
  return "refusedField" in operation ? undefined : operation;
}

async function send(
  stand: Upstreams,
  adapter: UpstreamAdapter,
  { method, url, headers, json }: UpstreamCall,
): Promise<HttpAnswer> {
  const { pathname, search } = new URL(url);
  const isJson = json !== undefined;
  const response = await fetch(`${stand.url}${pathname}${search}`, {
    method,
    headers: {
      ...adapter.headers("stand-in"),
      ...headers,
      ...(isJson && { "content-type": "application/json" }),
    },
    ...(isJson && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, headers: new Map(response.headers), text, fault: undefined };
}

interface Run {
  /** The kinds of the outcomes of submit and polls. */
  kinds: string[];
  last: PollOutcome | undefined;
}

/** Submits, and asks until the task has ended, at most a few times. */
export async function run(stand: Upstreams, adapter: UpstreamAdapter, operation: Operation): Promise<Run> {
  const call = adapter.submit(operation, ATTEMPT);
  const submitted = adapter.readSubmit(await send(stand, adapter, call), operation);
  const kinds: string[] = [submitted.kind];
  let last: PollOutcome | undefined;
  for (let polls = 0; submitted.kind === "accepted" && polls < POLLS_MAX; polls += 1) {
    let next = { call: adapter.poll(submitted.reference), reference: submitted.reference };
    for (;;) {
      last = adapter.readPoll(await send(stand, adapter, next.call), next.reference);
      if (last.kind !== "next") break;
      next = last;
    }
    kinds.push(last.kind);
    if (["ready", "refused", "failed"].includes(last.kind)) break;
  }
  return { kinds, last };
}
