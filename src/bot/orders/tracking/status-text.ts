import type { GatewayJob } from "../../../ports/gateway.js";
import { isInGroup } from "../../context.js";
import { escapeHtml } from "../../html.js";
import type { Language } from "../../texts.js";
import type { Order } from "../store/order.js";

const LONG_WAIT_MS = 60_000;

/** Returns HTML. */
export function statusText(
  order: Order,
  jobs: readonly GatewayJob[],
  { runningMs, waitingMs }: { runningMs: number; waitingMs: number },
  language: Language,
): string {
  const { t } = language;
  const title = statusTitle(order, language);
  if (jobs.every(isWaiting)) return `${title}\n${queueText(jobs, waitingMs, language)}`;
  const lines = [title, t("status-generating", { type: order.request.type, elapsed: elapsed(runningMs) })];
  const ready = jobs.filter(({ status }) => status === "done").length;
  if (jobs.length > 1) lines.push(t("status-ready", { ready, count: jobs.length }));
  return lines.join("\n");
}

/** True while nobody works on it yet. */
export function isWaiting({ status, waiting }: GatewayJob): boolean {
  return status === "queued" || waiting !== undefined;
}

function queueText(jobs: readonly GatewayJob[], waitingMs: number, { t }: Language): string {
  if (jobs.some(({ waiting }) => waiting?.isAway)) return t("status-queued-away");
  const positions = jobs.flatMap(({ waiting }) => waiting?.position ?? []);
  const first = Math.min(...positions);
  if (first > 0 && Number.isFinite(first)) return t("status-queued-place", { position: first });
  return t(waitingMs < LONG_WAIT_MS ? "status-queued" : "status-queued-long");
}

/** Returns HTML. */
export function finalStatusText(order: Order, isDone: boolean, language: Language): string {
  return `${statusTitle(order, language)}\n${language.t(isDone ? "status-done" : "status-failed")}`;
}

function statusTitle(order: Order, { money }: Language): string {
  const owner = isInGroup(order) ? [escapeHtml(order.userName)] : [];
  return [`<b>${escapeHtml(order.modelTitle)}</b>`, money(order.quotedKopecks), ...owner].join(" · ");
}

/** `0:07`, `12:40` */
function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
