import type { Api, GrammyError } from "grammy";

/** What the Bot API answers to a call. */
export type Answer = Awaited<ReturnType<Parameters<Parameters<Api["config"]["use"]>[0]>[0]>>;

export function refusedBy({ error_code, description }: GrammyError): Answer {
  return { ok: false, error_code, description } as Answer;
}

export function blocked(): Answer {
  const description = "Forbidden: bot was blocked by the user";
  return { ok: false, error_code: 403, description } as Answer;
}

export function flood(): Answer {
  const description = "Too Many Requests: retry after 2";
  return { ok: false, error_code: 429, description, parameters: { retry_after: 2 } } as Answer;
}
