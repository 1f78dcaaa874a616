import type { GatewayJob } from "../../../ports/gateway.js";
import { isInGroup } from "../../telegram/place.js";
import { escapeHtml } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../store/order.js";
import type { Stage } from "../store/order-progress.js";

const LONG_WAIT_MS = 60_000;

/** Composes the status as HTML. `elapsedMs`: since the order was placed or, later, since it is being made. */
export function statusText(
  order: Order,
  jobs: readonly GatewayJob[],
  { stage, elapsedMs }: { stage: Stage; elapsedMs: number },
  language: Language,
): string {
  const { t } = language;
  const title = statusTitle(order, language);
  const time = elapsed(elapsedMs);
  const away = jobs.some(({ waiting }) => waiting?.isAway) ? [t("status-queued-away")] : [];
  if (stage === "made") {
    const lines = [title, t("status-generating", { type: order.request.type, elapsed: time })];
    const ready = jobs.filter(({ status }) => status === "done").length;
    if (jobs.length > 1) lines.push(t("status-ready", { ready, count: jobs.length }));
    return [...lines, ...away].join("\n");
  }
  if (away.length > 0) return [title, ...away].join("\n");
  const long = elapsedMs < LONG_WAIT_MS ? [] : [t("status-long")];
  const position = placeOf(jobs);
  if (position !== undefined)
    return [title, t("status-queued-place", { position, elapsed: time })].join("\n");
  return [title, t(`status-${stage}`, { elapsed: time }), ...long].join("\n");
}

export function stageOf(jobs: readonly GatewayJob[]): Stage {
  if (!jobs.every(isWaiting)) return "made";
  return placeOf(jobs) === undefined ? "sent" : "queued";
}

function isWaiting({ status, waiting }: GatewayJob): boolean {
  return status === "queued" || waiting !== undefined;
}

/** Returns the place of the first job, where a service tells it. */
function placeOf(jobs: readonly GatewayJob[]): number | undefined {
  const first = Math.min(...jobs.flatMap(({ waiting }) => waiting?.position ?? []));
  return first > 0 && Number.isFinite(first) ? first : undefined;
}

/** Composes the final status as HTML. */
export function finalStatusText(order: Order, isDone: boolean, language: Language): string {
  if (isDone) return `${statusTitle(order, language)}\n${language.t("status-done")}`;
  // The person may want to ask about it.
  const number = language.t("order-number", { number: String(order.number) });
  return `${statusTitle(order, language)} · ${number}\n${language.t("status-failed")}`;
}

function statusTitle(order: Order, { money }: Language): string {
  const owner = isInGroup(order) ? [escapeHtml(order.userName)] : [];
  return [`<b>${escapeHtml(order.modelTitle)}</b>`, money(order.quotedKopecks), ...owner].join(" · ");
}

/** Formats a duration: `0:07`, `12:40`, `1:02:40`. */
function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [String(hours), twoDigits(minutes)] : [String(minutes)];
  return [...parts, twoDigits(seconds % 60)].join(":");
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
