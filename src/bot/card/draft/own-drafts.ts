import type { Database } from "../../../database/database.js";
import type { DataSection } from "../../../ports/personal-data.js";
import { storedParameters } from "./draft.js";
import {
  type DraftRow,
  draftOf,
  type LastParametersRow,
  selectDraftsOf,
  selectParametersOf,
} from "./draft-table.js";

/** Reads what a person composes, and the settings that were used last for each model. Times are ISO. */
export function ownDrafts(database: Database, userId: number): DataSection[] {
  return [
    { name: "drafts", rows: database.all(selectDraftsOf, { userId }).map(draftLine) },
    { name: "last_settings", rows: database.all(selectParametersOf, { userId }).map(settingsLine) },
  ];
}

function draftLine(row: DraftRow) {
  const { chatId, type, modelKey, parameters, state } = draftOf(row);
  return {
    updated_at: new Date(row.updated_at).toISOString(),
    chat_id: chatId,
    type,
    model_key: modelKey,
    parameters,
    state,
  };
}

function settingsLine({ model_key, parameters, used_at }: LastParametersRow) {
  return {
    used_at: new Date(used_at).toISOString(),
    model_key,
    parameters: storedParameters.parse(JSON.parse(parameters)),
  };
}
