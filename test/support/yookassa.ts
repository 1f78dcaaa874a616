import { Shop, ShopApi } from "@atelier/upstream-stand-ins";
import { onTestFinished } from "vitest";
import { Accounts } from "../../src/accounts/accounts.js";
import { lostSince } from "../../src/backup/swap.js";
import { asKopecks, NO_KOPECKS } from "../../src/contract/price.js";
import { table } from "../../src/database/table.js";
import { ExchangeError, type ExchangeOptions, type HttpAnswer } from "../../src/platform/http-exchange.js";
import { systemIds } from "../../src/platform/ids.js";
import { MINUTE_MS } from "../../src/platform/units.js";
import type { OperatorNotice } from "../../src/ports/operator-notices.js";
import { PaymentBook } from "../../src/tills/payment-book.js";
import { openYookassa, type YookassaSettings } from "../../src/tills/yookassa/yookassa-till.js";
import { type BotWorld, openBotWorld } from "./bot-world.js";
import { eventually } from "./eventually.js";
import { groundOf } from "./ground.js";
import { silentLogger } from "./log.js";
import { openPaymentsHarness } from "./payments.js";
import { noticesTo } from "./told-notices.js";

export const SETTINGS: YookassaSettings = {
  isOn: true,
  packs: [{ price: asKopecks(300_00), kopecks: asKopecks(300_00) }],
  limits: { minKopecks: asKopecks(50_00), maxKopecks: asKopecks(15_000_00) },
  receipt: undefined,
};
const CREDENTIALS = { shopId: "100500", secretKey: "test_key" };

/** What goes wrong with the next call of a kind: it is not sent, its answer is lost, or it has this status. */
export type CallFault = "not_sent" | "unanswered" | number;

/** A shop at YooKassa in this process, whose calls can go wrong. */
export class TestShop {
  readonly shop: Shop;
  readonly api: ShopApi;
  readonly calls: { method: string; path: string; key: string | undefined; body: string }[] = [];
  readonly faults: { of: string; fault: CallFault }[] = [];
  /** Called before each call is answered. */
  onCall: (kind: string) => void = () => {};
  /** Elements that no list of the documentation has, before those of each list that is asked for. */
  odd: readonly unknown[] = [];
  /** What the service sends when money has moved. */
  readonly notifications: unknown[] = [];

  constructor({ clock }: Pick<BotWorld, "clock">) {
    this.shop = new Shop({
      clock,
      pageRoot: () => "https://pay.example",
      notify: (event, object) => void this.notifications.push({ type: "notification", event, object }),
    });
    this.api = new ShopApi({ ...CREDENTIALS, shop: this.shop, clock });
  }

  /** Calls of a kind, such as `POST payments`. */
  callsOf(of: string) {
    return this.calls.filter(({ method, path }) => `${method} ${path.split("/")[2]?.split("?")[0]}` === of);
  }

  readonly exchange = async ({
    method,
    url,
    headers,
    body,
    signal,
  }: ExchangeOptions): Promise<HttpAnswer> => {
    if (signal?.aborted) throw new ExchangeError(true, signal.reason);
    const path = url.pathname + url.search;
    const text = typeof body === "string" ? body : "";
    this.calls.push({ method, path, key: headers["idempotence-key"], body: text });
    const kind = `${method} ${url.pathname.split("/")[2]}`;
    this.onCall(kind);
    const place = this.faults.findIndex(({ of }) => of === kind);
    const fault = place < 0 ? undefined : this.faults.splice(place, 1)[0]?.fault;
    if (fault === "not_sent") throw new ExchangeError(false, new Error("no connection"));
    if (typeof fault === "number") return { status: fault, headers: new Map(), text: "{}", fault: undefined };
    const { status, json: answered } = this.api.answer({ method, path, headers, body: text });
    const json: unknown =
      "items" in answered ? { ...answered, items: [...this.odd, ...[answered.items].flat()] } : answered;
    if (fault === "unanswered") throw new ExchangeError(true, new Error("no answer"));
    return { status, headers: new Map(), text: JSON.stringify(json), fault: undefined };
  };
}

interface YookassaHarnessOptions {
  world?: BotWorld;
  shop?: TestShop;
  settings?: Partial<YookassaSettings>;
  change?: Parameters<typeof openPaymentsHarness>[0];
}

/** The bot with the till of a shop, started. A restart is another harness on the same world and shop. */
export async function openYookassaHarness({
  world = openBotWorld(),
  shop = new TestShop(world),
  settings,
  change,
}: YookassaHarnessOptions = {}) {
  const told: OperatorNotice[] = [];
  const notices = noticesTo(told);
  const shared = { ...world, ids: systemIds, logger: silentLogger() };
  const ground = groundOf(shared);
  const accounts = new Accounts(ground, "telegram", { kopecks: NO_KOPECKS, guard: undefined });
  const till = openYookassa({
    ...shared,
    ...CREDENTIALS,
    payments: new PaymentBook(ground, accounts, undefined),
    notices,
    lostSince: lostSince(world.database),
    settings: { ...SETTINGS, ...settings },
    dispatcher: undefined as never,
    exchange: shop.exchange,
  });
  const harness = await openPaymentsHarness({ ...change, world, notices, tills: [till] });
  const { botPayments } = harness.parts;
  if (!botPayments) throw new Error("no payments");
  botPayments.desk.start();
  onTestFinished(() => botPayments.desk.stop());
  return {
    ...harness,
    world,
    shop,
    till,
    told,
    desk: botPayments.desk,
    /** Lets polls come until the balance is as wanted. */
    untilBalance: (kopecks: number) =>
      eventually("the balance", async () => {
        if ((await harness.balance()) === kopecks) return true;
        await world.clock.advance(5000);
        return undefined;
      }),
    /** Lets polls come until operators are told of something. */
    untilTold: () =>
      eventually("the notice", async () => {
        await world.clock.advance(MINUTE_MS);
        return told.length > 0;
      }),
    /** Forgets what the shop called a payment. */
    loseName: (payment_id: string) =>
      harness.database.write("lose", (tx) => {
        const lost = { state: "sending", payment_id: null, url: null } as const;
        table("yookassa_payment").update(tx, { payment_id }, lost);
      }),
    /** Ends it as a stop does. */
    close: () => botPayments.desk.stop(),
    /** Presses the pack of 300 rubles, with the consent where it is asked for. */
    async buy(user = { id: 7, is_bot: false as const, first_name: "Ann", language_code: "en" }) {
      await harness.say("/topup", user);
      await harness.tap("t:b:yookassa:30000:30000", undefined, user);
      const agree = [...harness.buttons().values()].find((data) => data.startsWith("t:a:"));
      if (agree) await harness.tap(agree, undefined, user);
    },
    /** The address behind the button that was shown last. */
    link(): string | undefined {
      const sent = harness.telegram.payloadsOf("sendMessage").at(-1) as
        | { reply_markup?: { inline_keyboard?: { url?: string }[][] } }
        | undefined;
      return sent?.reply_markup?.inline_keyboard?.[0]?.[0]?.url;
    },
    /** The newest payment at the shop. */
    payment() {
      const payment = shop.shop.payments.at(-1);
      if (!payment) throw new Error("no payment was made");
      return payment;
    },
  };
}
