import type { Method } from "../state.js";
import { callbackMethods } from "./callbacks.js";
import { chatMethods } from "./chats.js";
import { commandMethods } from "./commands.js";
import { editMethods } from "./edits.js";
import { fileMethods } from "./files.js";
import { mediaMethods } from "./media.js";
import { messageMethods } from "./messages.js";
import { paymentMethods } from "./payments.js";
import { topicMethods } from "./topics.js";
import { updateMethods } from "./updates.js";

/** Every method that the sandbox has, by the Bot API's spelling. */
export const methods: ReadonlyMap<string, Method> = new Map(
  [
    updateMethods,
    messageMethods,
    mediaMethods,
    editMethods,
    callbackMethods,
    fileMethods,
    commandMethods,
    chatMethods,
    topicMethods,
    paymentMethods,
  ].flatMap((family) => Object.entries(family)),
);
