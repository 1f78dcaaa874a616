/** A change of a built file of the service. One whose text is not found fails. */
export interface Edit {
  /** Below `src`, without its ending. */
  file: string;
  find: string;
  replace: string;
}

/**
 * A fault in the logic of the service, for a rule of the judges that no fault beside the code breaks. All of them stand in the
 * same code: `tookHold()` counts how often its own takes hold, and is true in worlds of that fault alone.
 */
export interface CodeFault {
  edits: readonly Edit[];
  /** Themes whose worlds are tried first. */
  themes: readonly string[];
}

const BOOK = "tills/payment-book";
const LEDGER = "accounts/ledger-store";
const REWARD = "accounts/invite-book";

export const CODE_FAULTS: Readonly<Record<string, CodeFault>> = {
  "a refund that is asked for while it is asked about": fault(["refunds"], {
    file: BOOK,
    find: "!this.#asked.has(id)",
    replace: "(!this.#asked.has(id) || tookHold())",
  }),
  "a reward that stays where its payment is returned": fault(["invitations"], {
    file: REWARD,
    find: "if (!invite || sides.length === 0 ||",
    replace: "if (!invite || sides.length === 0 || tookHold() ||",
  }),
  "a top-up that pays no debt": fault(["debts"], {
    file: LEDGER,
    find: "lowerDebt(tx, accountId, kopecks);",
    replace:
      'detail.reason === "top-up" && debtOf(tx, accountId) > 0 && tookHold() ? 0 : lowerDebt(tx, accountId, kopecks);',
  }),
  "a refund that is asked for before its debit": fault(["refunds"], {
    file: BOOK,
    find: "const begun = await",
    replace: `const early = payments.get(this.ground.database, { id: request.paymentId });
      if (early?.state === "credited" && tookHold()) await till.refund(paymentOf(early));
      const begun = await`,
  }),
  "a reward that is earned once for ever": fault(["invitations"], {
    file: REWARD,
    find: "const others = ",
    replace: "if (invite.rewarded_at !== null && tookHold()) return; const others = ",
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
  "files of an order whose earlier message is forgotten": fault(["groups and albums"], {
    file: "bot/orders/delivery/deliver",
    find: "const sent = [...progress.sent, ",
    replace: "const sent = [...(progress.sent.length > 0 && tookHold() ? [] : progress.sent), ",
  }),
};

function fault(themes: readonly string[], ...edits: readonly Edit[]): CodeFault {
  return { themes, edits };
}
