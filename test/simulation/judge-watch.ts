import { z } from "zod";
import type { RowReader } from "./rows.js";

const wrong = z.object({ words: z.string() });
const counts = z.object({ act: z.string(), made: z.int(), recorded: z.int() });

/** Acts that change no row that is watched. */
const UNWATCHED = "('message', 'note', 'reload', 'see-files', 'support_answer')";
const UNRECORDED = `
  SELECT act, sum(made) AS made, sum(recorded) AS recorded FROM (
    SELECT act, 1 AS made, 0 AS recorded FROM sim_act
    UNION ALL SELECT act, 0, 1 FROM audit_entry WHERE act NOT IN ${UNWATCHED})
  GROUP BY act HAVING sum(made) <> sum(recorded)`;

/** What was written and must not be, and acts that the audit does not have once each. */
export function judgeWatch(reader: RowReader): string[] {
  return [
    ...reader.all(wrong, "SELECT words FROM sim_wrong").map(({ words }) => words),
    ...reader
      .all(counts, UNRECORDED)
      .map(({ act, made, recorded }) => `${made} acts of ${act}, of which ${recorded} were recorded`),
  ];
}
