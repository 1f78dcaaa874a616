import type { Migration } from "../migrate.js";

export const writeProbe: Migration = {
  name: "write-probe",
  sql: `
    CREATE TABLE write_probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
    INSERT INTO write_probe VALUES (1, 0);
  `,
};
