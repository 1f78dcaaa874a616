import { expect, test } from "vitest";
import { ChatActivity } from "../../../../src/bot/orders/status-messages.js";

test("a chat is uploading until each upload that began there has ended", () => {
  const activity = new ChatActivity();
  const [first, second] = [activity.beginUpload(7), activity.beginUpload(7)];
  first();
  first();
  expect([activity.isUploading(7), activity.isUploading(8)]).toEqual([true, false]);
  second();
  expect(activity.isUploading(7)).toBe(false);
});
