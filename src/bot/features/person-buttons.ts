import { buttonData, type DataOf, natural, oneOf } from "../telegram/button-data.js";

/** `ad:<action>:<user id>` */
export const accountData = buttonData("ad", [
  oneOf("action", ["show", "whole", "send", "credit", "debit", "message", "note", "ban", "unban"]),
  natural("userId"),
]);
export type AccountData = DataOf<typeof accountData>;
export type AccountAction = AccountData["action"];

/** `pl:<user id>`: the newest payments of a person, for an admin. */
export const paymentListData = buttonData("pl", [natural("userId")]);
