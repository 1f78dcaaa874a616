import type { Migration } from "../migrate.js";

/** Numbers orders, so that people and admins can name them. */
export const orderNumbers: Migration = {
  name: "order-numbers",
  sql: `
    ALTER TABLE "order" ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
    UPDATE "order" SET number = numbered.number
      FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS number FROM "order") AS numbered
      WHERE numbered.id = "order".id;
    CREATE UNIQUE INDEX order_number ON "order" (number);
  `,
};
