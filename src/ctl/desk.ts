import type { Command } from "commander";
import { Accounts } from "../accounts/accounts.js";
import { Drafts } from "../bot/card/draft-store.js";
import { banPerson, readBanTerms, unbanPerson } from "../bot/features/bans.js";
import { refundOrder } from "../bot/features/order-story.js";
import { readOrderRef } from "../bot/features/uncertain-orders.js";
import type { Order } from "../bot/orders/order.js";
import { OrderStore } from "../bot/orders/order-store.js";
import { jobStory, type StoryEvent, storyOf } from "../bot/orders/order-story.js";
import { People, type Person } from "../bot/people/people.js";
import { leftKopecks, Spending } from "../bot/people/spending.js";
import { NO_KOPECKS, parseRubles, rublesOf } from "../contract/price.js";
import { jobById, parseJobId, publicJobId } from "../jobs/job-store.js";
import { OrderReader } from "../jobs/order-reader.js";
import { systemClock } from "../platform/clock.js";
import { noFailPoint } from "../platform/fail-point.js";
import { systemIds } from "../platform/ids.js";
import { createLogger } from "../platform/logger.js";
import { isoTime } from "../platform/zoned-time.js";
import { PaymentBook } from "../tills/payment-book.js";
import { paymentName, readPaymentName } from "../tills/till.js";
import {
  CommandError,
  type CommandResult,
  type Context,
  type Post,
  readId,
  readText,
  type ToolDatabase,
  table,
} from "./context.js";

/** Who the audit and the ledger say it was. */
const ACTOR = "ctl";
const IDENTITY = "telegram";
/** Stands where the id of an admin would. */
const NOBODY = 0;

/** Opens what the admins' commands of the chat stand on, on the database alone. */
function openDesk(database: ToolDatabase) {
  const logger = createLogger("silent");
  const ground = { database, clock: systemClock, ids: systemIds, logger, failPoint: noFailPoint };
  // Nobody's account begins here, so nobody is welcomed.
  const accounts = new Accounts(ground, IDENTITY, { kopecks: NO_KOPECKS, guard: undefined });
  const people = new People(database, systemClock);
  const payments = new PaymentBook(ground, accounts, undefined);
  const orders = new OrderStore(database, new Drafts(database, systemClock), systemClock);
  return {
    logger,
    people,
    orders,
    spending: new Spending(database, systemClock),
    accounts: {
      users: accounts,
      orders: new OrderReader(ground, accounts),
      payments,
      idOf: (userId: number) => accounts.find(userId) ?? null,
    },
    person(id: number): Person {
      const person = people.find(id);
      if (!person) throw new CommandError(`nobody with the id ${id} has written to the bot`);
      return person;
    },
    accountHolder(id: number): Person {
      const person = this.person(id);
      if (accounts.find(id) === undefined)
        throw new CommandError(`person ${id} has no account yet: their next message to the bot opens it`);
      return person;
    },
    order(word: string): Order {
      const { number, orderId = "" } = readOrderRef(word);
      const order = number === undefined ? orders.find(orderId) : orders.byNumber(number);
      if (order) return order;
      const payment = number === undefined ? undefined : payments.byId(number);
      const other = payment ? `; the payment is ${paymentName(payment.id)}` : "";
      throw new CommandError(`there is no order ${JSON.stringify(word)}${other}`);
    },
  };
}

type Desk = ReturnType<typeof openDesk>;

/** Adds `order show` and `job show`: the story that `/order` tells in the chat. */
export function storyCommands(program: Command, context: Context): void {
  program
    .command("order")
    .description("orders of the chat")
    .command("show <N>")
    .description("what happened to an order, by its number or its whole id")
    .action(async (word: string) => {
      const { isCoreElsewhere } = context.settings();
      context.answer(await context.withDatabase((database) => orderAnswer(database, word, isCoreElsewhere)));
    });
  program
    .command("job")
    .description("jobs of the chat and of the API")
    .command("show <ID>")
    .description("what happened to a job, by the id that the API tells: 12 or music_12")
    .action(async (id: string) => {
      context.answer(await context.withCore("jobs", (database) => jobAnswer(database, id)));
    });
}

/** What the chat shows of an order's words. */
const WORDS = ["prompt", "description", "lyrics"] as const;

function orderAnswer(database: ToolDatabase, word: string, isCoreElsewhere: boolean): CommandResult {
  const desk = openDesk(database);
  // With the core elsewhere its jobs and money are there.
  const records = isCoreElsewhere
    ? { of: () => ({ money: [], jobs: [], refundableKopecks: NO_KOPECKS }) }
    : desk.accounts.orders;
  const { order, record, delivery, events } = storyOf(desk.order(word), { orders: desk.orders, records });
  const json = {
    order: order.number,
    order_id: order.id,
    state: order.state,
    telegram_id: order.userId,
    name: order.userName,
    account_id: desk.accounts.idOf(order.userId),
    model: order.modelTitle,
    words: WORDS.map((name) => order.request[name]).find((text) => typeof text === "string") ?? null,
    price: rublesOf(order.quotedKopecks),
    refundable: rublesOf(record.refundableKopecks),
    job_ids: order.jobIds.map(String),
    delivery: delivery
      ? { state: delivery.state, attempts: delivery.attempts, outcome: delivery.outcome }
      : null,
    created_at: isoTime(order.createdAt),
    story: events.map(eventJson),
  };
  const { delivery: _delivery, story: _story, job_ids, ...shown } = json;
  const facts = {
    ...shown,
    jobs: job_ids.join(", ") || null,
    delivery: delivery ? `${delivery.state}, failed tries: ${delivery.attempts}` : null,
  };
  return { json, text: storyText(facts, events) };
}

function jobAnswer(database: ToolDatabase, given: string): CommandResult {
  const id = parseJobId(/^\d{1,16}$/.test(given) ? Number(given) : given);
  const job = id && jobById(database, id.row);
  if (!job || id.isMusic !== (job.type === "music"))
    throw new CommandError(`there is no job ${JSON.stringify(given)}`);
  const { orders, accounts } = openDesk(database);
  const { money, ...record } = accounts.orders.ofJob(job);
  const events = jobStory(record, money);
  const facts = {
    job_id: String(publicJobId(job.type, job.id)),
    account_id: job.account_id,
    order: (job.order_id !== null && job.origin === "bot" && orders.find(job.order_id)?.number) || null,
    origin: job.origin,
    model: job.model_key,
    provider: job.provider,
    status: job.status,
    failure: job.failure,
    error: job.error,
    price: rublesOf(job.cost),
    created_at: isoTime(job.created_at),
  };
  return { json: { ...facts, story: events.map(eventJson) }, text: storyText(facts, events) };
}

function storyText(
  facts: Readonly<Record<string, string | number | null>>,
  events: readonly StoryEvent[],
): string {
  return [
    table(Object.entries(facts), { fact: 0, value: 1 }),
    table(events, {
      time: ({ at }) => isoTime(at),
      job: (event) => ("jobId" in event ? String(event.jobId) : null),
      "what happened": eventText,
    }),
  ].join("\n\n");
}

function eventText(event: StoryEvent): string {
  switch (event.kind) {
    case "confirmed":
      return `confirmed at ${rublesOf(event.kopecks)} RUB`;
    case "charged":
      return `charged ${rublesOf(event.kopecks)} RUB`;
    case "refunded":
      return `returned ${rublesOf(event.kopecks)} RUB (${event.actor})`;
    case "begun":
      return `begun by ${event.provider}`;
    case "sent": {
      const why = event.detail === null ? "" : `: ${event.detail}`;
      return `sent to ${event.provider} (try ${event.number}, ${event.state})${why}`;
    }
    case "accepted":
      return `accepted by ${event.provider}: ${event.ref ?? "-"}`;
    case "made":
      return "made";
    case "failed":
      return `failed: ${event.reason}`;
    case "delivered":
      return `delivered, files: ${event.files}`;
    case "lost":
      return `not delivered: ${event.outcome}`;
  }
}

function eventJson({ at, kind: event, ...facts }: StoryEvent): Readonly<Record<string, unknown>> {
  const about = "jobId" in facts ? { job_id: String(facts.jobId) } : {};
  const sum = "kopecks" in facts ? { amount: rublesOf(facts.kopecks) } : {};
  const ref = "ref" in facts ? { ref: facts.ref === null ? null : (JSON.parse(facts.ref) as unknown) } : {};
  const { jobId: _jobId, kopecks: _kopecks, ...rest } = facts as Record<string, unknown>;
  return { at: isoTime(at), event, ...about, ...sum, ...rest, ...ref };
}

/** Adds `refund`, `ban` and `unban`: what the admins' commands of the chat do, with the same record and notice. */
export function deskCommands(program: Command, context: Context): void {
  program
    .command("refund <ORDER_OR_PAYMENT>")
    .description("return the money of an order (12) to its balance, or a payment (P-12) to who paid, once")
    .option("--reason <R>", "why, for the record")
    .option("--owe", "of a payment: what the balance lacks becomes a debt")
    .action(async (word: string, { reason, owe = false }: { reason?: string; owe?: boolean }) => {
      const by = { actor: ACTOR, reason: readText("--reason", reason) };
      const paymentId = readPaymentName(word);
      const answer = await withDesk(context, (desk, post) =>
        paymentId === undefined
          ? refundedOrder(desk.order(word), by, { ...desk, ...post })
          : refundedPayment({ ...by, paymentId, mayOwe: owe }, desk, context.settings().tills),
      );
      context.answer(answer);
    });

  program
    .command("ban <ID>")
    .description("let a person of the chat make no orders; money and results stay theirs")
    .option("--reason <R>", "why, which they are told")
    .option("--until <WHEN>", "12h, 7d, 2w or a date such as 2026-12-31 (UTC); by default until unban")
    .action(async (given: string, options: { reason?: string; until?: string }) => {
      const id = readId(given, "a person");
      const terms = { until: readUntil(options.until), reason: readText("--reason", options.reason) };
      const isAdmin = await context.withAdmins((admins) => admins.has(id));
      if (isAdmin) throw new CommandError(`${id} is an admin, who cannot be banned`);
      const { outcome, isTold } = await withDesk(context, (desk, post) =>
        banPerson(desk.accountHolder(id), { ...terms, actor: ACTOR }, { ...desk, ...post }),
      );
      const until = terms.until === null ? null : isoTime(terms.until);
      const done =
        outcome === "done" ? `person ${id} can make no orders now` : `person ${id} was banned so before`;
      context.answer({
        json: { telegram_id: id, banned: true, until, reason: terms.reason, told: isTold },
        text: `${done}${until === null ? "" : `, until ${until}`}${toldText(isTold)}`,
      });
    });

  program
    .command("unban <ID>")
    .description("let a person of the chat make orders again")
    .action(async (given: string) => {
      const id = readId(given, "a person");
      const isTold = await withDesk(context, (desk, post) =>
        unbanPerson(desk.accountHolder(id), ACTOR, { ...desk, ...post }),
      );
      const done = isTold === undefined ? `person ${id} is not banned` : `person ${id} can make orders again`;
      context.answer({
        json: { telegram_id: id, banned: false, told: isTold ?? false },
        text: `${done}${isTold === undefined ? "" : toldText(isTold)}`,
      });
    });
}

function readUntil(given: string | undefined): number | null {
  if (given === undefined) return null;
  const now = systemClock.now();
  const terms = readBanTerms(given, { sentAt: now, now });
  if ("wrongUntil" in terms || terms.until === null || terms.reason !== null)
    throw new CommandError(`${JSON.stringify(given)} is no time to come such as 12h, 7d, 2w or 2026-12-31`);
  return terms.until;
}

function toldText(isTold: boolean): string {
  return isTold ? "; told so" : "; could not be told";
}

/** Works as an admin does, with the texts and the bot that tell people. Throws CommandError with `CORE=api`. */
function withDesk<T>(
  context: Context,
  work: (desk: Desk, post: Pick<Post, "texts" | "api">) => Promise<T>,
): Promise<T> {
  return context.withCore("people, orders and money", async (database) => {
    const post = context.settings().openPost();
    try {
      return await work(openDesk(database), post);
    } finally {
      await post.close();
    }
  });
}

async function refundedOrder(
  order: Order,
  by: { actor: string; reason: string | null },
  desk: Parameters<typeof refundOrder>[2],
): Promise<CommandResult> {
  const { number } = order;
  const { outcome, isTold = false } = await refundOrder(order, by, desk);
  if (outcome.kind === "running")
    throw new CommandError(`order ${number} is still being made: what fails of it is refunded by itself`);
  if (outcome.kind === "nothing") throw new CommandError(`order ${number} has nothing left to return`);
  const [amount, balance] = [rublesOf(outcome.kopecks), rublesOf(outcome.balanceKopecks)];
  const sum = `${amount} RUB of order ${number}`;
  const done = outcome.kind === "done" ? `${sum} returned${toldText(isTold)}` : `${sum} were returned before`;
  return {
    json: { order: number, amount, balance, repeated: outcome.kind === "repeated", told: isTold },
    text: `${done}; the balance is ${balance} RUB`,
  };
}

/** What the running service does: it has the till, asks it within ten minutes, and tells the person. */
const LEFT_TO_SERVICE = { kind: "doubtful", cause: "left to the running service" } as const;

async function refundedPayment(
  request: Parameters<PaymentBook["refund"]>[0],
  { accounts: { payments } }: Desk,
  tills: readonly string[],
): Promise<CommandResult> {
  const payment = paymentName(request.paymentId);
  const before = payments.byId(request.paymentId);
  if (before && !tills.includes(before.till))
    throw new CommandError(
      `${payment} was paid at ${before.till}, which the settings do not name: only a till returns money`,
    );
  const outcome = await payments.refund(request, { refund: async () => LEFT_TO_SERVICE });
  if (outcome.kind === "unknown") throw new CommandError(`there is no payment ${payment}`);
  if (outcome.kind === "too_large")
    throw new CommandError(
      `the balance is only ${rublesOf(outcome.balanceKopecks)} RUB: with --owe the rest becomes a debt`,
    );
  const { state } = outcome.payment;
  const text = {
    refunding: `${payment}${before?.state === "credited" ? " has left the balance:" : " is being returned:"} the running service asks its till within ten minutes, and tells the person`,
    refunded: `${payment} was refunded before`,
    credited: `${payment} stays credited`,
    unmatched: `${payment} is held`,
  }[state];
  return { json: { payment, state }, text };
}

/** Adds `limit`: what a person may spend of a shared account in a month, in front of a service elsewhere. */
export function limitCommand(program: Command, context: Context): void {
  program
    .command("limit <ID> [RUB_OR_OFF]")
    .description("what a person may spend of CORE_API_KEY's account in a month; off removes the limit")
    .action(async (given: string, sum: string | undefined) => {
      const id = readId(given, "a person");
      const isOff = sum?.toLowerCase() === "off";
      // Zero rubles are a limit too.
      const kopecks = sum === undefined || isOff ? undefined : parseRubles(sum);
      if (sum !== undefined && !isOff && kopecks === undefined)
        throw new CommandError(
          `${JSON.stringify(sum)} is neither rubles, with at most two decimals, nor off`,
        );
      if (!context.settings().isAccountShared)
        throw new CommandError("limits are for people who share an account: CORE=api with CORE_API_KEY");
      const allowance = await context.withDatabase(async (database) => {
        const { spending, person } = openDesk(database);
        person(id);
        if (sum !== undefined) await spending.setLimit(id, kopecks, NOBODY);
        return spending.allowanceOf(id);
      });
      const { limitKopecks, spentKopecks, renewsAt } = allowance;
      const left = leftKopecks(allowance);
      const json = {
        telegram_id: id,
        limit: limitKopecks === undefined ? null : rublesOf(limitKopecks),
        spent: rublesOf(spentKopecks),
        left: left === undefined ? null : rublesOf(left),
        renews_at: isoTime(renewsAt),
      };
      context.answer({ json, text: table(Object.entries(json), { fact: 0, value: 1 }) });
    });
}
