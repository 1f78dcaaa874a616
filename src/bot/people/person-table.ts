import type { Integer } from "../../platform/integer.js";

/** A person who has written to the bot. */
export interface PersonRow {
  telegram_id: number;
  name: string;
  username: string | null;
  locale: string;
  first_seen_at: Integer;
  /** Exact to an hour. */
  last_seen_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    person: PersonRow;
  }
}
