import type { BotView, Json, ServicesControl, StandInSummary } from "@atelier/telegram-sandbox";

/** A service as the bot of the demo sees it. Times in ms since the epoch. */
export interface WatchedService {
  name: string;
  state: { kind: BotView["state"]; reason?: string; nextTryAt?: number };
  resume(): void;
}

/** Adds what the bot does about each service to the summary, and `POST /control/resume { service }`. */
export function withBotView(
  services: ServicesControl,
  watched: () => readonly WatchedService[],
  now: () => number,
): ServicesControl {
  return {
    control(method: string, path: string, body: Json) {
      if (`${method} ${path}` === "POST /control/resume") return resume(watched(), body);
      const answer = services.control(method, path, body);
      if (`${method} ${path}` !== "GET /control/summary") return answer;
      const summary = answer.json as StandInSummary;
      const shown = summary.services.map((service) => {
        const found = watched().find(({ name }) => name === service.name);
        return found ? { ...service, bot: viewOf(found, now()) } : service;
      });
      return { ...answer, json: { ...summary, services: shown } };
    },
  };
}

function viewOf({ state: { kind, reason, nextTryAt } }: WatchedService, now: number): BotView {
  return {
    state: kind,
    ...(reason !== undefined && { reason }),
    ...(nextTryAt !== undefined && { nextTryInMs: Math.max(0, nextTryAt - now) }),
  };
}

function resume(watched: readonly WatchedService[], body: Json): { status: number; json: unknown } {
  const name = typeof body === "object" && body !== null && "service" in body ? body.service : undefined;
  const found = watched.find((service) => service.name === name);
  if (!found) return { status: 404, json: { error: "no such service" } };
  found.resume();
  return { status: 200, json: { ok: true } };
}
