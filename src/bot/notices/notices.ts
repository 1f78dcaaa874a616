import type { Api } from "grammy";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { DailyTime } from "../../platform/zoned-time.js";
import type { Admins } from "../../ports/admins.js";
import type { NoticeQueue, Once } from "../../ports/operator-notices.js";
import type { Service } from "../../ports/service.js";
import { readOrderFigures } from "../orders/store/order-figures.js";
import { countPeople } from "../people/count-people.js";
import type { People } from "../people/people.js";
import type { ChatPlace } from "../telegram/place.js";
import type { Texts } from "../texts/texts.js";
import { AdminNotices } from "./admin-notices.js";
import { DailyReporter } from "./daily-reporter.js";
import { EventChat } from "./event-chat.js";
import type { EventStore } from "./event-store.js";
import type { EventNotice } from "./notice-text.js";

/** Kinds that only the event chat is told: there may be many, or admins have a message of their own. */
const FOR_CHAT_ALONE: ReadonlySet<EventNotice["kind"]> = new Set([
  "new_person",
  "sale",
  "provider_away",
  "provider_back",
  "order_uncertain",
]);

export interface NoticesParts {
  /** Makes single tries. */
  plainApi: Pick<Api, "sendMessage">;
  notices: NoticeQueue;
  service: Pick<Service, "figures">;
  database: Database;
  events: EventStore;
  people: People;
  texts: Texts;
  adminIds: Admins;
  eventsChat: ChatPlace | undefined;
  reportAt: DailyTime | undefined;
  clock: Clock;
  logger: Logger;
}

/** Starts to deliver notices to the admins and the event chat, and the reports. Returns a function that ends it. */
export function startNotices(parts: NoticesParts): () => Promise<void> {
  const {
    notices,
    database,
    events: store,
    people,
    texts,
    adminIds,
    eventsChat,
    reportAt,
    clock,
    logger,
  } = parts;
  const languageOf = (id: number) => texts.in(people.find(id)?.locale);
  const admins = new AdminNotices({ ...parts, api: parts.plainApi, languageOf });
  /** Records a notice for admins, for the event chat, or for both. */
  const record = (notice: EventNotice, to: { admins: boolean; chat: boolean }, once?: Once) => {
    const recorded = database.write("notice", (tx) => {
      const at = clock.now();
      if (to.admins && !admins.record(tx, notice, at, once)) return;
      if (to.chat) store.record(tx, notice, at);
    });
    recorded.catch(async (error: unknown) => {
      logger.warn({ notice, err: error }, "notice not recorded");
      if (to.admins) await admins.sendUnrecorded(notice);
    });
  };
  const firstAdmin = () => [...adminIds].find((id) => people.find(id) !== undefined);
  const chat =
    eventsChat &&
    new EventChat({
      ...parts,
      api: parts.plainApi,
      place: eventsChat,
      store,
      language: () => texts.in(people.find(firstAdmin() ?? 0)?.locale),
      onLost: () => record({ kind: "events_lost" }, { admins: true, chat: false }),
    });
  notices.deliverBy({
    tell: (notice, once) =>
      record(notice, { admins: !FOR_CHAT_ALONE.has(notice.kind), chat: chat !== undefined }, once),
    end(topic) {
      admins.end(topic).catch((error: unknown) => logger.warn({ topic, err: error }, "notice not ended"));
    },
  });
  const { figures } = parts.service;
  const reporter =
    reportAt &&
    new DailyReporter({
      ...parts,
      at: reportAt,
      store,
      figures: figures ?? ((periods) => readOrderFigures(parts.database, periods)),
      isElsewhere: figures === undefined,
      newPeople: async (period) => (await countPeople(parts.database, period)).fresh,
      record: (tx, notice, at) => {
        if (chat) store.record(tx, notice, at);
        // A report that no admin has gives way to the next.
        else admins.record(tx, notice, at, { topic: "report", content: String(at) });
      },
    });
  admins.start();
  chat?.start();
  reporter?.start();
  return async () => {
    await Promise.all([reporter?.stop(), chat?.stop(), admins.stop()]);
  };
}
