import { InlineKeyboard } from "grammy";
import { SECOND_MS } from "../../../platform/units.js";
import type { UpstreamStatus } from "../../../ports/service.js";
import type { Language } from "../../texts/texts.js";
import { resumeData } from "./resume-data.js";

export interface Alert {
  /** The words as a key: the same for the same words. */
  shown: string;
  write: (language: Language) => { text: string; keyboard: InlineKeyboard };
}

type Away = Exclude<UpstreamStatus["state"], { kind: "up" }>;

/** Milliseconds after which an unreachable service is told of: one that is restarted is not worth a message. */
const UNREACHABLE_FOR_MS = 30 * SECOND_MS;

/** Composes what admins read of a service. Undefined while it is up, or may soon be. */
export function alertOf(status: UpstreamStatus, now: number): Alert | undefined {
  const { name, state, models } = status;
  if (state.kind === "up") return undefined;
  if (state.kind === "unreachable" && now - state.since < UNREACHABLE_FOR_MS) return undefined;
  const reason = state.kind === "paused" ? state.reason : state.kind;
  return {
    shown: [reason, tryOf(state), models.off, models.count].join(),
    write: (language) => ({
      text: textOf(name, state, models, language),
      keyboard:
        state.kind === "unreachable"
          ? new InlineKeyboard()
          : new InlineKeyboard().text(language.t("button-resume"), resumeData.encode({ provider: name })),
    }),
  };
}

export const RESUMED = "up";

export function resumedText(provider: string, { t }: Language): string {
  return t("provider-resumed", { provider });
}

function textOf(provider: string, state: Away, models: UpstreamStatus["models"], { t }: Language): string {
  const what =
    state.kind === "paused"
      ? t("provider-paused", { provider, reason: t(`pause-${state.reason}`) })
      : t(`provider-${state.kind}`, { provider });
  const { count, off } = models;
  const elsewhere = off === 0 ? "moved" : off === count ? "off" : "some";
  return [
    what,
    ...(count > 0 ? [t("provider-models", { elsewhere, off, count })] : []),
    tryText(state, t),
  ].join("\n\n");
}

/** Returns the key of what `tryText` says. */
function tryOf(state: Away): string {
  return state.kind === "throttled" && state.isTried ? "next" : (nextTryOf(state) ?? "");
}

function tryText(state: Away, t: Language["t"]): string {
  if (state.kind === "unreachable") return t("provider-is-checked");
  if (state.kind === "throttled" && state.isTried) return t("provider-tries-next");
  const nextTry = nextTryOf(state);
  return nextTry === undefined ? t("provider-waits-for-you") : t("provider-next-try", { time: nextTry });
}

/** Formats the next try as `14:05 UTC`. */
function nextTryOf(state: Away): string | undefined {
  if (state.kind === "unreachable" || state.nextTryAt === undefined) return undefined;
  return `${new Date(state.nextTryAt).toISOString().slice(11, 16)} UTC`;
}
