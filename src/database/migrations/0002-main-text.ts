import type { Migration } from "../migrate.js";

/** Moves the main text of a draft to a parameter under its own name, or `prompt` while no model is chosen. */
export const mainText: Migration = {
  name: "main-text",
  sql: `
    UPDATE draft SET parameters = json_set(
      parameters,
      CASE
        WHEN type <> 'music' OR model_key IS NULL THEN '$.prompt'
        WHEN json_extract(parameters, '$.mode') = 'lyrics' THEN '$.lyrics'
        ELSE '$.description'
      END,
      prompt
    ) WHERE prompt IS NOT NULL;
    ALTER TABLE draft DROP COLUMN prompt;
  `,
};
