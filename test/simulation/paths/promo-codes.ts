import { z } from "zod";
import { createPromoCode } from "../../../src/accounts/promo-book.js";
import { asKopecks } from "../../../src/contract/price.js";
import { HOUR_MS } from "../../../src/platform/units.js";
import type { SimPath } from "./path.js";

const CODES = ["FIRST", "SECOND", "THIRD"] as const;

const wrongUses = z.object({ code: z.string(), uses: z.int(), given: z.int(), uses_max: z.int() });
const WRONG_USES = `
  SELECT code, uses, uses_max, (SELECT count(*) FROM promo_use WHERE code = promo_code.code) AS given
  FROM promo_code WHERE given <> uses OR given > uses_max`;

const wrongSums = z.object({
  account_id: z.int(),
  sum: z.int(),
  entries: z.int(),
  due: z.int(),
  uses: z.int(),
});
const WRONG_SUMS = `
  SELECT id AS account_id, sum, entries, due, uses FROM account,
    (SELECT account_id AS payee, sum(amount) AS sum, count(*) AS entries FROM ledger_entry
     WHERE reason = 'promo' GROUP BY account_id) ON payee = id
    FULL JOIN (SELECT account_id AS user, sum(kopecks) AS due, count(*) AS uses
     FROM promo_use JOIN promo_code USING (code) GROUP BY account_id) ON user = id
  WHERE sum IS NOT due OR entries IS NOT uses`;

/** Codes of the operator, which people race for, try again, and guess. */
export const promoCodes: SimPath = {
  actsOf: ({ world, people, someone, random }) => [
    [
      3,
      () => {
        const code = random.pick(CODES);
        const validUntil = world.clock.now() + random.integer(1, 5) * HOUR_MS;
        const terms = { kopecks: asKopecks(random.integer(1, 90) * 100), usesMax: random.integer(1, 3) };
        world.beside((database) =>
          createPromoCode({ database, clock: world.clock }, { code, validUntil, ...terms }),
        );
        return `the operator makes ${code} for ${terms.usesMax} people`;
      },
    ],
    [
      6,
      () => {
        const person = someone();
        const command = `/promo ${random.pick(CODES)}`;
        if (random.chance(0.4)) person.say(command);
        return person.say(command);
      },
    ],
    [
      2,
      () => {
        const code = random.pick(CODES);
        return people.map((person) => person.say(`/promo ${code}`)).join("; ");
      },
    ],
    [
      3,
      () => {
        const person = someone(3);
        const tries = Array.from({ length: random.integer(2, 6) }, (_, index) =>
          person.say(`/promo GUESS${index}`),
        );
        return `${person.id} guesses ${tries.length} codes`;
      },
    ],
  ],
  watch: `
    CREATE TABLE sim_try (account_id INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_promo_try AFTER INSERT ON promo_try BEGIN
      DELETE FROM sim_try WHERE account_id = NEW.account_id AND at <= NEW.at - ${HOUR_MS};
      INSERT INTO sim_try VALUES (NEW.account_id, NEW.at);
    END;
    CREATE TRIGGER sim_promo_use AFTER INSERT ON promo_use BEGIN
      INSERT INTO sim_wrong SELECT NEW.code || ' was over, and brought money' FROM promo_code
      WHERE code = NEW.code AND valid_until <= NEW.at;
      INSERT INTO sim_wrong SELECT 'a guess was taken after five wrong ones'
      WHERE (SELECT count(*) FROM sim_try
        WHERE account_id = NEW.account_id AND at > NEW.at - ${HOUR_MS} AND at <= NEW.at) >= 5;
    END;
    CREATE TRIGGER sim_promo AFTER INSERT ON promo_code BEGIN INSERT INTO sim_act VALUES ('promo'); END;
  `,
  judge: ({ reader }) => [
    ...reader
      .all(wrongUses, WRONG_USES)
      .map(
        ({ code, uses, given, uses_max }) => `${code} for ${uses_max} counts ${uses}, and ${given} have it`,
      ),
    ...reader
      .all(wrongSums, WRONG_SUMS)
      .map(
        (row) =>
          `account ${row.account_id} got ${row.sum} of codes in ${row.entries}, of ${row.due} in ${row.uses}`,
      ),
  ],
  planted: {
    "a use of a code that is not counted": {
      after: { label: "promo:redeem", sql: "UPDATE promo_code SET uses = uses - 1 WHERE uses > 0" },
    },
    "guesses of codes that nobody counts": { after: { label: "promo:redeem", sql: "DELETE FROM promo_try" } },
  },
};
