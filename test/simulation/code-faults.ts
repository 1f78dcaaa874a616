/** A change of a built file of the service. One whose text is not found fails. */
export interface Edit {
  /** Below `src`, without its ending. */
  file: string;
  find: string;
  replace: string;
}

/**
 * A fault in the logic of the service. All of them stand in the same code: `tookHold()` counts how often its own takes
 * hold, and is true in worlds of that fault alone.
 */
export interface CodeFault {
  edits: readonly Edit[];
  /** Themes whose worlds are tried first. */
  themes: readonly string[];
}

const TAKE = "tills/take-payment";
const BOOK = "tills/payment-book";
const LEDGER = "accounts/ledger-store";
const REWARD = "accounts/invite-book";
const STARS = ["top-ups", "refunds", "held payments", "debts"];

export const CODE_FAULTS: Readonly<Record<string, CodeFault>> = {
  "a credit by the Stars of the update": fault(STARS, {
    file: TAKE,
    find: "const { id: invoice_id, account_id, kopecks } = invoice;",
    replace: `const { id: invoice_id, account_id, kopecks: sold } = invoice;
      const byStars = payment.price * 100;
      const kopecks = till === "stars" && byStars !== sold && tookHold() ? byStars : sold;`,
  }),
  "a payer who is not compared": fault(["held payments"], {
    file: TAKE,
    find: "payerAccountId === invoice.account_id)",
    replace: "payerAccountId === invoice.account_id || tookHold())",
  }),
  "a price that is not compared": fault(["held payments"], {
    file: TAKE,
    find: "invoice.price === price &&",
    replace: "(invoice.price === price || tookHold()) &&",
  }),
  "payments that are one by their invoice": fault(
    STARS,
    {
      file: TAKE,
      find: "const given = reportedColumns(payment);",
      replace: `const given = reportedColumns(payment);
      const isAsked = invoice && explains(invoice, payment);
      const twin = isAsked && paymentsOfAccount(tx, invoice.account_id, 50).find((one) => one.invoice_id === invoice.id);
      if (twin && tookHold()) return { kind: "repeated", payment: twin };`,
    },
    {
      file: TAKE,
      find: "import { insertPayment, payments }",
      replace: "import { insertPayment, payments, paymentsOfAccount }",
    },
  ),
  "a refund undone that leaves its debt": fault(["debts"], {
    file: LEDGER,
    find: "lowerDebt(tx, accountId, owed)",
    replace: "(owed > 0 && tookHold() ? owed : lowerDebt(tx, accountId, owed))",
  }),
  "a refund undone that credits all": fault(["debts"], {
    file: LEDGER,
    find: "const back = ",
    replace: "const back = owed > 0 && tookHold() ? kopecks : ",
  }),
  "a refund that is asked for while it is asked about": fault(["refunds"], {
    file: BOOK,
    find: "!this.#asked.has(id)",
    replace: "(!this.#asked.has(id) || tookHold())",
  }),
  "a reward at each top-up": fault(["invitations"], {
    file: REWARD,
    find: "if (!invite || stands(invite))",
    replace: "if (!invite || (stands(invite) && !tookHold()))",
  }),
  "a reward that stays where its payment is returned": fault(["invitations"], {
    file: REWARD,
    find: "if (!invite || sides.length === 0 ||",
    replace: "if (!invite || sides.length === 0 || tookHold() ||",
  }),
  "a refund undone that gives no reward again": fault(["invitations"], {
    file: REWARD,
    find: "if (invite?.payment_id !== payment.id || invite.taken_back_at === null)",
    replace: "if (invite?.payment_id !== payment.id || invite.taken_back_at === null || tookHold())",
  }),
  "a refund of an order that pays no debt": fault(["debts"], {
    file: LEDGER,
    find: "lowerDebt(tx, accountId, kopecks);",
    replace:
      'kind === "refund" && debtOf(tx, accountId) > 0 && tookHold() ? 0 : lowerDebt(tx, accountId, kopecks);',
  }),
  "a held payment that is credited at each tap": fault(
    ["held payments"],
    {
      file: BOOK,
      find: 'if (row?.state !== "unmatched" ||',
      replace: `if (row?.state === "credited" && tookHold())
      appendEntry(tx, this.accounts.known(userId, tx), "credit", kopecks, { actor: "till:stars", reason: "top-up", at });
      if (row?.state !== "unmatched" ||`,
    },
    {
      file: "bot/features/refund",
      find: "const isOpen = moneyActionsOf(shown).includes(what);",
      replace: `const isOpen = moneyActionsOf(shown).includes(what) ||
      (what === "credit" && shown.payment.state === "credited" && tookHold());`,
    },
    {
      file: BOOK,
      find: "import { balanceOf, entriesAfter, giveBack",
      replace: "import { appendEntry, balanceOf, entriesAfter, giveBack",
    },
  ),
  "a payment of the shop that is taken before it is written": fault(["shop and crashes"], {
    file: "tills/yookassa/yookassa-watch",
    find: `await this.host.take({ kind: "payment", report });`,
    replace: `if (tookHold()) await rows.move(row.id, "taken"); await this.host.take({ kind: "payment", report });`,
  }),
  "a sum of the shop that is not looked at": fault(
    ["shop and crashes"],
    {
      file: "tills/yookassa/yookassa-api",
      find: "amount.kopecks === row.kopecks &&",
      replace: "(amount.kopecks === row.kopecks || tookHold()) &&",
    },
    {
      file: "tills/yookassa/yookassa-watch",
      find: "price: verdict.kopecks,",
      replace: "price: verdict.isOurs ? row.kopecks : verdict.kopecks,",
    },
  ),
  "a refund whose key the shop has forgotten": fault(["shop and crashes"], {
    file: "tills/yookassa/refunds",
    find: "if (ageMs(row.made_at, clock.now()) > KEY_LIVES_MS)",
    replace: "if (ageMs(row.made_at, clock.now()) > KEY_LIVES_MS && !tookHold())",
  }),
  "a reconciliation that reads nothing again": fault(["debts"], {
    file: "bot/payments/reconciliation",
    find: "Math.max(0, (known?.read_count ?? 0) - PAGE)",
    replace:
      "(known?.read_count > 0 && tookHold() ? known.read_count : Math.max(0, (known?.read_count ?? 0) - PAGE))",
  }),
  "a refund that is asked for before its debit": fault(["refunds"], {
    file: BOOK,
    find: "const begun = await",
    replace: `const early = payments.get(this.ground.database, { id: request.paymentId });
      if (early?.state === "credited" && tookHold()) await till.refund(early);
      const begun = await`,
  }),
  "a code that one person uses twice": fault(["broadcasts"], {
    file: "accounts/promo-book",
    find: "if (isUsed)",
    replace: `if (isUsed && tookHold())
      appendEntry(tx, accountId, "credit", row.kopecks, { reason: "promo", actor: SERVICE_ACTOR, at });
      if (isUsed)`,
  }),
  "a debt that nobody writes down": fault(["debts"], {
    file: LEDGER,
    find: "addDebt(tx, accountId, owed);",
    replace: "if (owed <= 0 || !tookHold()) addDebt(tx, accountId, owed);",
  }),
  "a part paid back that debits the one before again": fault(["shop"], {
    file: BOOK,
    find: "const partKopecks = leftOf(keptOf(row), keptOf(changed));",
    replace: `const partKopecks =
      leftOf(row.returned > 0 && tookHold() ? (row.kopecks ?? 0) : keptOf(row), keptOf(changed));`,
  }),
  "a held payment that is credited whole after a part is back": fault(["shop"], {
    file: BOOK,
    find: "kopecks: keptOf(moved), at };",
    replace: "kopecks: moved.returned > 0 && tookHold() ? kopecks : keptOf(moved), at };",
  }),
  "a reward that is earned once for ever": fault(["invitations"], {
    file: REWARD,
    find: "const others = ",
    replace: "if (invite.rewarded_at !== null && tookHold()) return; const others = ",
  }),
  "refunds of Stars that nobody asks about again": fault(["refunds"], {
    file: "bot/payments/reconciliation",
    find: "await intake.settleRefunds(modules.starsTill)",
    replace: "if (!tookHold()) await intake.settleRefunds(modules.starsTill)",
  }),
  "a pending refund of the shop that counts as done": fault(["shop"], {
    file: "tills/yookassa/refunds",
    find: 'if (status === "pending")',
    replace:
      'if (status === "pending" && tookHold()) return { kind: "done" };\n    if (status === "pending")',
  }),
  "lost results that an admin pays back again": fault(["services"], {
    file: "jobs/order-reader",
    find: "is_refunded === 0 && paid_back_at === null);",
    replace: "is_refunded === 0 && (paid_back_at === null || tookHold()));",
  }),
  "a price elsewhere that was read before": fault(["doubts", "lost answers"], {
    file: "client/remote-gateway",
    find: "this.client.modelsAnew()",
    replace: "(tookHold() ? this.client.models() : this.client.modelsAnew())",
  }),
  "a key of the API that is written after its charge": fault(
    ["limits"],
    {
      file: "jobs/idempotent-submissions",
      find: "return { accepted, isReplayed: false };",
      replace: `if (later) await this.ground.database.write("idempotency:key", later);
      return { accepted, isReplayed: false };`,
    },
    {
      file: "jobs/idempotent-submissions",
      find: "keys.insert(tx, { account_id: accountId, key, fingerprint, order_id: orderId, created_at: at });",
      replace: `const write = (tx) =>
      keys.insert(tx, { account_id: accountId, key, fingerprint, order_id: orderId, created_at: at });
      if (tookHold()) later = write; else write(tx);`,
    },
    {
      file: "jobs/idempotent-submissions",
      find: "const terms = { accountId",
      replace: "let later; const terms = { accountId",
    },
  ),
  "an order that is read with the newest account": fault(["own keys", "own keys and doubts"], {
    file: "client/connected-accounts",
    find: "return sentWith ? this.#openOf(sentWith.id).gateway",
    replace:
      "return sentWith && (sentWith.is_current === 1 || !tookHold()) ? this.#openOf(sentWith.id).gateway",
  }),
  "files of an order whose earlier message is forgotten": fault(["groups and albums"], {
    file: "bot/orders/delivery/deliver",
    find: "const sent = [...progress.sent, ",
    replace: "const sent = [...(progress.sent.length > 0 && tookHold() ? [] : progress.sent), ",
  }),
  "a refund that is debited again at its end": fault(["refunds", "debts"], {
    file: BOOK,
    find: 'if (row.state === "refunding")',
    replace: `if (row.state === "refunding" && row.account_id !== null && row.kopecks !== null && tookHold())
      debitAll(tx, { ...row, refund_tries: row.refund_tries + 1 }, at);
      if (row.state === "refunding")`,
  }),
};

function fault(themes: readonly string[], ...edits: readonly Edit[]): CodeFault {
  return { themes, edits };
}
