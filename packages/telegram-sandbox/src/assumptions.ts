/**
 * What the sandbox does without proof: it depends on Telegram's closed servers, or is known from
 * single reports only. A test that leans on one of these points proves less than it seems to.
 */
export const ASSUMPTIONS: readonly string[] = [
  "Answering a callback query twice gives the error of a query that is too old.",
  "A callback query can be answered for 15 s; people report 10 to 20 s.",
  "An upload of a WebP, GIF or MP3 by sendDocument without disable_content_type_detection becomes a sticker, an animation or audio.",
  "An uploaded video that is not MPEG-4 arrives as a document; Ogg audio arrives as a voice message, other audio as audio.",
  "A thumbnail that is no JPEG or over 320 pixels is left out without an error.",
  "Media by an address cannot be fetched, whatever the address.",
  "A picture sent as a photo keeps its bytes: the real server makes JPEGs of several sizes.",
  "A photo may be uploaded under a name without an extension.",
  "Edits and deletions still work in a private chat whose person blocked the bot.",
  'A person whom the server saw in a group is 403 "bot can\'t initiate conversation with a user"; reports differ.',
  "Over 10 000 bytes or 100 buttons of markup is 'reply markup is too long'.",
  "A button whose text holds only blanks is kept; it is reported as a breach.",
  "A callback answer over 200 code points is MESSAGE_TOO_LONG.",
  "An edit over the limits of length is MESSAGE_TOO_LONG or MEDIA_CAPTION_TOO_LONG.",
  "Over 100 commands, or 4096 bytes of names and descriptions, is BOT_COMMANDS_TOO_MUCH.",
  "A deleted topic is TOPIC_DELETED for 60 s.",
  "In privacy mode a command in a caption does not reach the bot.",
  "A request over 50 MiB is answered with 413 in JSON after all of it was read, unless a test orders a cut.",
  "Items of a partial album arrive from the first, and only where a test orders it.",
  "An invoice whose title or description is empty or too long is INVOICE_TITLE_INVALID or INVOICE_DESCRIPTION_INVALID.",
  "A bot gets no message of its own refund.",
  "The provider's charge id of a payment in Stars is empty.",
  "An answer to a pre-checkout query that waited more than 10 s is the error of a query that is too old.",
  "A message that cannot be copied is 'message can't be copied'.",
  "No rate is limited unless a test orders a 429.",
];
