import { isNothingToEdit } from "./failure.js";

/** Waits for an edit. One that would change nothing, or whose message is gone, is no fault. */
export async function editOrIgnore(edit: Promise<unknown>): Promise<void> {
  try {
    await edit;
  } catch (error) {
    if (!isNothingToEdit(error)) throw error;
  }
}
