import type { Api } from "grammy";
import type { Kopecks } from "../../../contract/money.js";
import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { repeat } from "../../../platform/retry.js";
import type { Invite, Invites } from "../../../ports/invites.js";
import type { People } from "../../people/people.js";
import { telegramFailure } from "../../telegram/failure.js";
import type { Texts } from "../../texts/texts.js";

const LOOK_INTERVAL_MS = 5000;
const STEP_INVITES = 20;

export interface InviteTellerOptions {
  /** Retries failed calls. */
  api: Pick<Api, "sendMessage">;
  invites: Pick<Invites, "untold" | "markTold">;
  people: Pick<People, "find">;
  texts: Texts;
  clock: Clock;
  logger: Logger;
}

/** Tells both sides of an invitation that their sums were credited or taken back. After a crash a person may be told twice. */
export class InviteTeller {
  readonly #options: InviteTellerOptions;
  #working: Promise<void> | undefined;
  #isStopping = false;
  #cancel: CancelTimer = () => {};

  constructor(options: InviteTellerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = repeat(this.#options.clock, LOOK_INTERVAL_MS, () => {
      this.#working ??= this.#tellAll().finally(() => {
        this.#working = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancel();
    await this.#working;
  }

  /** Never rejects. */
  async #tellAll(): Promise<void> {
    const { invites, logger } = this.#options;
    for (const invite of invites.untold(STEP_INVITES)) {
      if (this.#isStopping) return;
      await this.#tell(invite).catch((error: unknown) =>
        logger.warn(
          { invite_id: invite.id, err: error },
          "reward of an invitation not told yet, trying again",
        ),
      );
    }
  }

  async #tell(invite: Invite): Promise<void> {
    const { inviterId, invitedId, inviterKopecks, invitedKopecks, takenBackAt } = invite;
    const act = takenBackAt === null ? "told" : "taken";
    await this.#send(invitedId, `invite-${act}-invited`, invitedKopecks, invite.invitedOwedKopecks);
    await this.#send(inviterId, `invite-${act}-inviter`, inviterKopecks, invite.inviterOwedKopecks);
    await this.#options.invites.markTold(invite);
  }

  /** Passes over a person who cannot be reached. */
  async #send(
    userId: number | undefined,
    key: string,
    kopecks: Kopecks,
    owedKopecks: Kopecks,
  ): Promise<void> {
    if (userId === undefined || kopecks === 0) return;
    const { api, people, texts, logger } = this.#options;
    const { t, money } = texts.in(people.find(userId)?.locale);
    try {
      const owed = owedKopecks === 0 ? [] : [t("invite-taken-owed", { owed: money(owedKopecks) })];
      await api.sendMessage(userId, [t(key, { sum: money(kopecks) }), ...owed].join(" "));
    } catch (error) {
      const { kind } = telegramFailure(error);
      if (kind !== "blocked" && kind !== "no_chat") throw error;
      logger.info({ user_id: userId, reason: kind }, "person not reached about an invitation");
    }
  }
}
