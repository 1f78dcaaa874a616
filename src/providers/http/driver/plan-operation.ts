import type { GenerationRequest } from "../../../contract/request.js";
import { HOUR_MS } from "../../../platform/units.js";
import type { GenerationTask } from "../../../ports/provider.js";
import { routeFor } from "../../../routes/choose-route.js";
import { operationOf } from "../../../routes/map-request.js";
import type { Operation } from "../../../routes/operation.js";
import type { Route } from "../../../routes/route.js";
import { deadlineMs } from "./poll-schedule.js";

/** Gives files to a service. */
export interface ReferencePublisher {
  /** Resolves with an address for each path, valid for `lifeMs`. */
  publish(paths: readonly string[], lifeMs: number, signal: AbortSignal): Promise<readonly string[]>;
}

export interface PlanOptions {
  routesOf: (modelKey: string) => readonly Route[];
  callbackUrl: string;
  references: ReferencePublisher;
}

/** Maps a job for the service, with links to its references that the service can read. */
export async function planOperation(
  { routesOf, callbackUrl, references }: PlanOptions,
  { request, seed, tracks, references: paths }: GenerationTask,
  signal: AbortSignal,
): Promise<Operation | { refusedField: string }> {
  const chosen = routeFor(routesOf(request.model_key), request);
  if ("refusedField" in chosen) return chosen;
  const { route } = chosen;
  // It may wait for a deadline before it is sent.
  const lifeMs = 2 * deadlineMs(route.poll) + HOUR_MS;
  const links = paths.length === 0 ? [] : await references.publish(paths, lifeMs, signal);
  return operationOf(route, withLinks(request, links), { seed, tracks, callbackUrl });
}

/** In the order of the job's references: frames, then pictures. */
export function withLinks(request: GenerationRequest, links: readonly string[]): GenerationRequest {
  const left = [...links];
  const replaced: GenerationRequest = { ...request };
  for (const frame of ["start_frame_url", "end_frame_url"]) {
    const link = typeof request[frame] === "string" ? left.shift() : undefined;
    if (link !== undefined) replaced[frame] = link;
  }
  if (Array.isArray(request.reference_urls)) replaced.reference_urls = left;
  return replaced;
}
