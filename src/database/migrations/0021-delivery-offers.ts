import type { Migration } from "../migrate.js";

export const deliveryOffers: Migration = {
  name: "delivery-offers",
  sql: `
    -- Deliveries that expired while their person could not be reached, offered when the person is back.
    CREATE TABLE delivery_offer (
      order_id TEXT PRIMARY KEY REFERENCES "order" (id),
      user_id INTEGER NOT NULL,
      offered_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delivery_offer_user ON delivery_offer (user_id, offered_at);
    INSERT INTO delivery_offer (order_id, user_id) SELECT order_id, user_id FROM delivery WHERE state = 'expired';
  `,
};
