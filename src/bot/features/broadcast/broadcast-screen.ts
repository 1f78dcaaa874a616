import { InlineKeyboard } from "grammy";
import type { Language, Texts } from "../../texts/texts.js";
import { AUDIENCE_FIELDS, type AudienceField, type BroadcastAudience } from "./audience.js";
import { broadcastTap } from "./broadcast-data.js";
import type { Broadcast } from "./broadcast-store.js";

export interface BroadcastScreen {
  text: string;
  keyboard: InlineKeyboard;
}

/** Shows whom a message is for and how many they are, with the button that sends it. */
export function audienceScreen(
  { id, revision, audience }: Broadcast,
  count: number,
  { t }: Language,
  texts: Texts,
): BroadcastScreen {
  const keyboard = new InlineKeyboard();
  for (const field of AUDIENCE_FIELDS)
    keyboard
      .text(
        fieldText(field, audience, t, texts),
        broadcastTap.encode({ action: "next", id, revision, field }),
      )
      .row();
  if (count > 0)
    keyboard
      .text(t("button-broadcast-send", { count }), broadcastTap.encode({ action: "send", id, revision }))
      .success()
      .row();
  keyboard.text(t("button-cancel"), broadcastTap.encode({ action: "cancel", id, revision })).danger();
  return { text: t("broadcast-audience", { count }), keyboard };
}

/** Shows how far a broadcast is. */
export function progressScreen(broadcast: Broadcast, { t }: Language): BroadcastScreen {
  const { id, state, total, sent, blocked, failed } = broadcast;
  const keyboard = new InlineKeyboard();
  if (state === "running")
    keyboard.text(t("button-broadcast-stop"), broadcastTap.encode({ action: "stop", id })).danger();
  if (state === "stopped")
    keyboard.text(t("button-broadcast-resume"), broadcastTap.encode({ action: "resume", id })).success();
  const left = Math.max(0, total - sent - blocked - failed);
  return { text: t(`broadcast-${state}`, { total, sent, blocked, failed, left }), keyboard };
}

function fieldText(
  field: AudienceField,
  audience: BroadcastAudience,
  t: Language["t"],
  texts: Texts,
): string {
  switch (field) {
    case "kind":
      return t(`broadcast-kind-${audience.kind}`);
    case "days":
      return audience.days === null ? t("broadcast-days-all") : t("broadcast-days", { days: audience.days });
    case "locale":
      return audience.locale === null ? t("broadcast-locale-all") : texts.in(audience.locale).ownName;
    case "balance":
      return t(`broadcast-balance-${audience.balance}`);
  }
}
