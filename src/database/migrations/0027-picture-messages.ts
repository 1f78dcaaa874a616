import type { Migration } from "../migrate.js";

/**
 * Keeps which message brought which picture of a card, so that an edit of the message replaces it, and finds the order
 * that an edit comes too late for.
 */
export const pictureMessages: Migration = {
  name: "picture-messages",
  sql: `
    ALTER TABLE draft ADD COLUMN picture_messages TEXT NOT NULL DEFAULT '{}';
    CREATE INDEX draft_ordered ON draft (user_id, chat_id) WHERE state = 'ordered';
  `,
};
