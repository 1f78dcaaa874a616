import type { Migration } from "../migrate.js";

/** Keeps that an operator asked for a service to be tried again: the running process deletes the row once it does so. */
export const resumeAsked: Migration = {
  name: "resume-asked",
  sql: "ALTER TABLE upstream_state ADD COLUMN resume_asked_at INTEGER;",
};
