import { kopecksOf } from "../../../contract/money.js";
import type { ConnectOutcome, DisconnectOutcome, RefusedKey } from "../../../ports/connections.js";
import type { Language } from "../../texts/texts.js";

/** Tells the outcome of connecting a key, as HTML. */
export function connectedText(outcome: ConnectOutcome, { t, money }: Language): string {
  if (outcome.outcome === "refused") return t("connect-key-refused");
  if (outcome.outcome === "too_many") return t("connect-too-many");
  const { balance, resumed, earlier } = outcome;
  const lines = [t("connected", { balance: money(kopecksOf(balance.amount)) })];
  if (resumed > 0) lines.push(t("connected-resumed", { count: resumed }));
  if (earlier.followed > 0) lines.push(t("connected-earlier-followed", { count: earlier.followed }));
  if (earlier.waiting > 0) lines.push(t("connected-earlier-waiting", { count: earlier.waiting }));
  return lines.join("\n\n");
}

export function disconnectedText(outcome: DisconnectOutcome, { t }: Language): string {
  if (outcome.outcome === "not_connected") return t("disconnect-nothing");
  if (outcome.openOrders === 0) return t("disconnected");
  return t("disconnected-open", { count: outcome.openOrders });
}

/** Tells that a key has stopped working. */
export function refusedKeyText({ isCurrent, openOrders }: RefusedKey, { t }: Language): string {
  if (!isCurrent) return t("key-stopped-earlier", { count: openOrders });
  const lines = [t("key-stopped")];
  if (openOrders > 0) lines.push(t("key-stopped-open", { count: openOrders }));
  return lines.join(" ");
}
