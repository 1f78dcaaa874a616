/** What a message can carry as a file. */
export const FILE_KINDS = ["photo", "document", "video", "audio", "animation", "voice", "sticker"] as const;
export type FileKind = (typeof FILE_KINDS)[number];
