import type { Migration } from "../migrate.js";

/** Keeps which welcome credits were given at first contact, and which wait for a tap. */
export const welcomeCredits: Migration = {
  name: "welcome-credits",
  sql: `
    CREATE TABLE welcome_credit (
      account_id INTEGER PRIMARY KEY REFERENCES account (id),
      kopecks INTEGER NOT NULL CHECK (kopecks > 0),
      state TEXT NOT NULL CHECK (state IN ('given', 'offered', 'taken')),
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX welcome_credit_given ON welcome_credit (at) WHERE state = 'given';
  `,
};
