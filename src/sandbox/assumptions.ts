/**
 * What the sandbox does without proof: nobody could check these points against the real server.
 * A test that leans on one of them proves less than it seems to.
 */
export const ASSUMPTIONS: readonly string[] = [
  "Answering a callback query twice gives the error of a query that is too old.",
  "A callback query can be answered for 15 s; people report 10 to 20 s.",
  "Lengths of texts and captions count code points, not UTF-16 units.",
  "An upload of a WebP, GIF or MP3 by sendDocument without disable_content_type_detection becomes a sticker, an animation or audio.",
  "A video that is not MPEG-4 arrives as a document; audio of any type arrives as audio.",
  "A document by address may only be GIF, PDF or ZIP; another type is 'wrong type of the web page content'.",
  "A picture sent as a photo keeps its bytes: the real server makes JPEGs of several sizes.",
  "A file that is no picture is IMAGE_PROCESS_FAILED as a photo; sides over the limits are PHOTO_INVALID_DIMENSIONS.",
  "Edits and deletions still work in a private chat whose person blocked the bot; sending and chat actions are 403.",
  "The bot may not write to a person who never wrote to it: 403 'bot can't initiate conversation with a user'.",
  "An empty text after parsing is 'message text is empty'.",
  "Over 8 buttons in a row or 100 in all is 'reply markup is too long'.",
  "A button's address needs a host with a dot: http://localhost is refused, http://127.0.0.1 is not.",
  "A button without letters is refused with 'Text must be non-empty'.",
  "A callback answer over 200 characters is MESSAGE_TOO_LONG.",
  "An album of one item is sent as a single message, though the Bot API's text asks for 2 to 10.",
  "In a group without topics an answer carries message_thread_id of the message that began the exchange.",
  "A text of a person over 4096 characters arrives in several messages, as clients split it.",
  "A tap on a message that is gone carries an inaccessible message (date 0).",
  "A command list over 100 is BOT_COMMANDS_TOO_MUCH; a language that is not two letters is 'invalid language code specified'.",
  "In a group, scopes for administrators match nobody: the people of the sandbox are plain members.",
  "A mention of the bot reaches it in privacy mode; a command without a bot's name always does.",
  "A thread id in a chat without topics is 'message thread not found'; a closed topic is TOPIC_CLOSED for a bot that is no admin.",
  'A file id of another kind is "can\'t use file of type A as B"; a video or audio can be sent again as a document.',
  "No rate is limited unless a test orders a 429.",
  "Updates older than 24 hours are not dropped.",
  "Bold and the like around code stay; the real server may split them.",
  "Message ids of all private chats come from one sequence, those of the group from another.",
];
