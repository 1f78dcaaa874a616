import { z } from "zod";
import { KEY_MARK, SimAccounts } from "../sim-accounts.js";
import type { Cast, SimPath } from "./path.js";

const wrong = z.object({ words: z.string() });
/** Columns in which what people write may stand. */
const WRITTEN = [
  ["inbox_pending", "payload"],
  ["dialog", "state"],
  ["draft", "parameters"],
  ["outbox_message", "payload"],
  ["connected_account", "sealed_key"],
  ["remote_submission", "sent_to"],
] as const;
const watchOf = ([table, column]: (typeof WRITTEN)[number], event: string) => `
  CREATE TRIGGER sim_key_${event.toLowerCase()}_${table} AFTER ${event} ON ${table}
  WHEN instr(NEW.${column}, '${KEY_MARK}')
  BEGIN INSERT INTO sim_wrong VALUES ('${table} has a key in the clear'); END;`;

/** People connect accounts of their own, leave them and take others, while keys stop working elsewhere. */
export const connected: SimPath = {
  way: "front_end",
  rulesOf: (random) => ({ accounts: new SimAccounts(random) }),
  actsOf(cast) {
    const { world, people, someone } = cast;
    for (const { id } of people) connect(cast, id);
    return [
      [8, () => connect(cast, someone().id)],
      [1, () => someone().say("/disconnect")],
      [1.5, () => world.rules.accounts?.revoke() ?? ""],
      [10, () => someone().act()],
    ];
  },
  watch: WRITTEN.flatMap((one) => [watchOf(one, "INSERT"), watchOf(one, "UPDATE")]).join(""),
  judge: ({ reader, rules, api, telegram }) => {
    const accountsOf = new Map<string, Set<string | undefined>>();
    for (const { idempotencyKey: key, account } of rules.accounts ? api.posts : [])
      if (key !== undefined) accountsOf.set(key, (accountsOf.get(key) ?? new Set()).add(account));
    const shown = [...telegram.messages.values()].filter(({ text }) => text.includes(KEY_MARK));
    return [
      ...reader.all(wrong, "SELECT words FROM sim_wrong").map(({ words }) => words),
      ...(rules.accounts?.strange ?? []),
      ...shown.map(({ chatId }) => `chat ${chatId} was shown a key`),
      ...[...accountsOf]
        .filter(([, accounts]) => accounts.size > 1)
        .map(([key, accounts]) => `order ${key} was sent with ${[...accounts].join(" and ")}`),
    ];
  },
  planted: {
    "a key of somebody's that is stored in the clear": { isKeyBare: true },
    "an account that is forgotten while its orders are open": { areOrdersUncounted: true },
  },
};

function connect({ world, people }: Cast, userId: number): string {
  const key = world.rules.accounts?.keyOf(userId);
  return people.find(({ id }) => id === userId)?.say(`/connect ${key}`) ?? "";
}
