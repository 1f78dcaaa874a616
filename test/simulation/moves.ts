import { z } from "zod";
import type { RowReader } from "./rows.js";

/** Moves that the worlds of a run have to reach, by table. `new`: the row is written. */
const STATE_TABLES = {
  till_invoice: ["new>open", "open>paid", "open>closed"],
  till_payment: [
    "new>credited",
    "new>unmatched",
    "new>refunded",
    "unmatched>credited",
    "unmatched>refunding",
    "unmatched>refunded",
    "credited>refunding",
    "credited>refunded",
    "refunding>refunded",
    "refunding>credited",
    "refunding>unmatched",
  ],
  yookassa_payment: ["new>sending", "sending>open", "sending>ended", "open>taken", "open>ended"],
  yookassa_refund: ["new>open", "open>done", "open>refused"],
  order: [
    "new>accepted",
    "new>claimed",
    "claimed>accepted",
    "claimed>refused",
    "claimed>uncertain",
    "uncertain>accepted",
    "uncertain>refused",
    "accepted>delivering",
    "delivering>closed",
  ],
  delivery: ["new>pending", "pending>parked", "parked>pending", "pending>sent"],
  draft: [
    "new>composing",
    "composing>ordered",
    "composing>cancelled",
    "composing>replaced",
    "ordered>composing",
  ],
  job: ["new>queued", "queued>generating", "generating>done", "generating>error"],
  attempt: [
    "new>sending",
    "planned>sending",
    "sending>planned",
    "sending>accepted",
    "sending>refused",
    "sending>ambiguous",
    "accepted>ready",
    "accepted>refused",
    "accepted>failed",
    "ready>stored",
    "ambiguous>accepted",
    "ambiguous>cancelled",
  ],
  welcome_credit: ["new>given", "new>offered", "offered>taken"],
  broadcast: ["new>composing", "composing>running", "running>stopped", "stopped>running", "running>done"],
  broadcast_recipient: ["new>claimed", "claimed>sent"],
} as const;

/** Rows that have no state, and move all the same. */
const OTHER_MOVES = {
  debt: ["grows", "shrinks"],
  invite: ["bound", "rewarded"],
  promo_code: ["used"],
  ban: ["banned", "unbanned"],
  erasure: ["wished", "done"],
} as const;

export type Moves = Readonly<Record<string, number>>;

const count = z.object({ move: z.string(), times: z.int() });

/** Counts each move of a table of states as it is written: nothing erases the count. */
export const MOVE_TRIGGERS = `
  CREATE TABLE sim_move (of TEXT NOT NULL, move TEXT NOT NULL) STRICT;
  ${Object.keys(STATE_TABLES).map(stateTriggers).join("")}
  CREATE TRIGGER sim_move_owes AFTER INSERT ON till_debt WHEN NEW.kopecks > 0
  BEGIN INSERT INTO sim_move VALUES ('debt', 'grows'); END;
  CREATE TRIGGER sim_move_debt AFTER UPDATE OF kopecks ON till_debt WHEN NEW.kopecks <> OLD.kopecks
  BEGIN INSERT INTO sim_move VALUES ('debt', iif(NEW.kopecks > OLD.kopecks, 'grows', 'shrinks')); END;
  CREATE TRIGGER sim_move_invite AFTER INSERT ON invite
  BEGIN INSERT INTO sim_move VALUES ('invite', 'bound'); END;
  CREATE TRIGGER sim_move_reward AFTER UPDATE OF rewarded_at ON invite
  WHEN OLD.rewarded_at IS NULL AND NEW.rewarded_at IS NOT NULL AND NEW.invited_kopecks + NEW.inviter_kopecks > 0
  BEGIN INSERT INTO sim_move VALUES ('invite', 'rewarded'); END;
  CREATE TRIGGER sim_move_promo AFTER INSERT ON promo_use
  BEGIN INSERT INTO sim_move VALUES ('promo_code', 'used'); END;
  CREATE TRIGGER sim_move_ban AFTER INSERT ON ban BEGIN INSERT INTO sim_move VALUES ('ban', 'banned'); END;
  CREATE TRIGGER sim_move_unban AFTER DELETE ON ban BEGIN INSERT INTO sim_move VALUES ('ban', 'unbanned'); END;
  CREATE TRIGGER sim_move_wish AFTER INSERT ON erasure
  BEGIN INSERT INTO sim_move VALUES ('erasure', 'wished'); END;
  CREATE TRIGGER sim_move_erased AFTER DELETE ON erasure
  BEGIN INSERT INTO sim_move VALUES ('erasure', 'done'); END;
`;

function stateTriggers(table: string): string {
  const column = table === "job" ? "status" : "state";
  return `
    CREATE TRIGGER sim_move_new_${table} AFTER INSERT ON "${table}"
    BEGIN INSERT INTO sim_move VALUES ('${table}', 'new>' || NEW.${column}); END;
    CREATE TRIGGER sim_move_${table} AFTER UPDATE OF ${column} ON "${table}" WHEN OLD.${column} <> NEW.${column}
    BEGIN INSERT INTO sim_move VALUES ('${table}', OLD.${column} || '>' || NEW.${column}); END;
  `;
}

/** The moves of a world, named as `table move`. */
export function readMoves(reader: RowReader): Moves {
  const counts = reader.all(
    count,
    "SELECT of || ' ' || move AS move, count(*) AS times FROM sim_move GROUP BY of, move",
  );
  return Object.fromEntries(counts.map(({ move, times }) => [move, times]));
}

export function addMoves(all: readonly Moves[]): Moves {
  const sums: Record<string, number> = {};
  for (const moves of all)
    for (const [move, times] of Object.entries(moves)) sums[move] = (sums[move] ?? 0) + times;
  return sums;
}

/** Each move that worlds have to reach, with how often they did, and what they reached besides. */
export function coverageOf(moves: Moves): { wanted: Moves; others: Moves } {
  const names = Object.entries({ ...STATE_TABLES, ...OTHER_MOVES }).flatMap(([of, list]) =>
    list.map((move) => `${of} ${move}`),
  );
  const wanted = Object.fromEntries(names.map((name) => [name, moves[name] ?? 0]));
  const others = Object.fromEntries(Object.entries(moves).filter(([name]) => !(name in wanted)));
  return { wanted, others };
}

/** A line for each move. */
export function tableOf(moves: Moves): string {
  const { wanted, others } = coverageOf(moves);
  const lines = [
    ...Object.entries(wanted),
    ...Object.entries(others).map(([move, times]) => [`(${move})`, times] as const),
  ];
  return lines.map(([move, times]) => `${String(times).padStart(6)}  ${move}`).join("\n");
}
