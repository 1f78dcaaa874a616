import type { Database } from "../../../database/database.js";
import type { OwnData } from "../../own-data.js";
import { storedParameters } from "./draft.js";
import {
  type DraftRow,
  draftOf,
  eraseDrafts,
  type LastParametersRow,
  selectDraftsOf,
  selectParametersOf,
} from "./draft-table.js";

/** Tells and erases what people compose, and the settings that they used last for each model. Times are ISO. */
export function ownDrafts(database: Database): OwnData {
  return {
    sections: (userId) => [
      { name: "drafts", rows: database.all(selectDraftsOf, { userId }).map(draftLine) },
      { name: "last_settings", rows: database.all(selectParametersOf, { userId }).map(settingsLine) },
    ],
    eraseIn: eraseDrafts,
  };
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
