import type { Migration } from "../migrate.js";
import { ACCOUNTS } from "./baseline/accounts.js";
import { CHAT } from "./baseline/chat.js";
import { ELSEWHERE } from "./baseline/elsewhere.js";
import { JOBS } from "./baseline/jobs.js";
import { ORDERS } from "./baseline/orders.js";
import { PROVIDERS } from "./baseline/providers.js";

const OWN = `
  CREATE TABLE write_probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
  INSERT INTO write_probe VALUES (1, 0);

  -- What is removed by age has a clock of its own, which a leap ahead does not move.
  CREATE TABLE trusted_clock (
    name TEXT PRIMARY KEY,
    trusted_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    doubted_since INTEGER
  ) STRICT, WITHOUT ROWID;
`;

/** Creates the schema of the first release. Times are in ms since the epoch, sums in kopecks. */
export const baseline: Migration = {
  name: "baseline",
  sql: [OWN, ACCOUNTS, JOBS, PROVIDERS, CHAT, ORDERS, ELSEWHERE].join(""),
  replaces: {
    number: 47,
    checksum: "a5b069022127f3918e219ae194fee9ebab7841433d5ac2a350b3658d816c973d",
    commit: "595594762d",
  },
};
