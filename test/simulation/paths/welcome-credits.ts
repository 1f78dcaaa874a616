import { z } from "zod";
import type { SimPath } from "./path.js";

const wrongCredits = z.object({ account_id: z.int(), state: z.string(), entries: z.int() });
const WRONG_CREDITS = `
  SELECT account_id, state, (SELECT count(*) FROM ledger_entry AS entry
    WHERE entry.account_id = welcome_credit.account_id AND reason = 'welcome') AS entries
  FROM welcome_credit WHERE entries <> (state <> 'offered')`;

const counts = z.object({ credits: z.int(), people: z.int() });
const COUNTS = `
  SELECT (SELECT count(*) FROM ledger_entry WHERE reason = 'welcome') AS credits,
    (SELECT count(*) FROM identity WHERE kind = 'telegram') AS people`;

/** Those who do not look real take their welcome credit by a tap, maybe twice and on two devices. */
export const welcomeCredits: SimPath = {
  rulesOf: () => ({ welcomeGuard: { latestBirthOf: (id) => (id % 2 === 0 ? 0 : undefined) } }),
  actsOf: ({ someone, random }) => [[8, () => someone().press(/^wc:/, random.pick(["/start", "/balance"]))]],
  judge: ({ reader }) => [
    ...reader
      .all(wrongCredits, WRONG_CREDITS)
      .map(
        ({ account_id, state, entries }) =>
          `account ${account_id} with ${state} was welcomed ${entries} times`,
      ),
    ...reader
      .all(counts, COUNTS)
      .filter(({ credits, people }) => credits > people)
      .map(({ credits, people }) => `${people} people had ${credits} welcome credits`),
  ],
  planted: {
    "a welcome credit that stays on offer": {
      after: {
        label: "account:welcome",
        sql: "UPDATE welcome_credit SET state = 'offered' WHERE state = 'taken'",
      },
    },
  },
};
