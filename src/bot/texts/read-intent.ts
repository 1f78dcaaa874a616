import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";
import { Slices } from "../../platform/slices.js";
import { learn } from "./classifier.js";

/** Commands that people write in words, each with its list in the locales. */
const COMMANDS = [
  "start",
  "help",
  "balance",
  "top-up",
  "language",
  "settings",
  "models",
  "promo",
  "invite",
  "cancel",
  "back",
  "cancel-order",
] as const;
type Command = (typeof COMMANDS)[number];

/** Short answers and questions that the bot answers itself. `operator`: asks for a person. */
const TALK = ["price", "operator", "thanks", "yes", "no"] as const;
/** `wordless`: numbers, signs, or words that describe nothing. */
type Talk = (typeof TALK)[number] | "wordless";

/** What a message wants. Only `describe` and `edit` may be shown a price. */
export type Intent =
  /** Describes what to make. With a type it asks for that kind, and `text` may be empty. */
  | { kind: "describe"; text: string; type?: GenerationType }
  /** Wants the last result once more. */
  | { kind: "more" }
  /** Wants the last picture to be changed. */
  | { kind: "edit" }
  /** Says more of what the open card describes. */
  | { kind: "add" }
  /** Wants the last picture to move. */
  | { kind: "animate" }
  /** Names a model. */
  | { kind: "model" }
  /** Speaks to people rather than to the bot. */
  | { kind: "support" }
  | { kind: "command"; name: Command; argument: string }
  | { kind: "talk"; about: Talk }
  | { kind: "unsure" };

/** What a message follows. */
export interface IntentContext {
  /** The kind of the result that the chat got last, a short while ago, or that the message replies to. */
  last?: GenerationType | undefined;
  /** The open card. `maySing`: words of doubt may be those of its song. */
  card?: { hasText: boolean; hasPictures: boolean; maySing?: boolean } | undefined;
  /** True for a reply to a picture. */
  isReply?: boolean;
  /** True a short while after support has answered. */
  isAnswered?: boolean;
  /** True where the words name a model. */
  isModel?: boolean;
}

export type ReadIntent = (text: string, context?: IntentContext) => Promise<Intent>;

/** Words of every language that the bot understands, as `plain` leaves them. */
class Words {
  readonly #words = new Set<string>();
  readonly #stems = new Set<string>();

  /** @param listed words, and stems with any ending as `word*` */
  constructor(listed: readonly string[]) {
    for (const word of listed) {
      if (word.endsWith("*")) this.#stems.add(plain(word.slice(0, -1)));
      else this.#words.add(plain(word));
    }
  }

  has(word: string): boolean {
    if (this.#words.has(word)) return true;
    const longest = Math.min(word.length, STEM_MAX);
    for (let length = STEM_MIN; length <= longest; length += 1)
      if (this.#stems.has(word.slice(0, length))) return true;
    return false;
  }
}
const STEM_MIN = 3;
const STEM_MAX = 12;

/** Matches a repeated letter: «привееет», "hiii". */
const HELD_DOWN = /(\p{L})\1{2,}/gu;

function plain(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е").replaceAll("’", "'").replace(HELD_DOWN, "$1");
}

/** Splits a text into words, whose hyphens and apostrophes stay. */
function wordsOf(text: string): readonly string[] {
  return plain(text).match(/[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Reduces a text to words and numbers in lower case, without punctuation and emoji. */
function plainWords(text: string): string {
  return plain(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Reduces a text to signs and emoji, each once, without the tone of the skin. */
function plainSigns(text: string): string {
  const bare = text.replace(/\s|\uFE0F|\p{Emoji_Modifier}/gu, "");
  return [...new Set(bare)].join("");
}

/** UTF-16 units of a message of a known meaning, and words of one with a promo code. */
const MEANING_LENGTH_MAX = 200;
const MEANING_WORDS_MAX = 8;
/** A text of more words is judged by the examples, unless it is hardly anything but a complaint. */
const TALK_WORDS_MAX = 12;
const COMPLAINT_WORDS_MAX = 40;
/** The share of known words that makes a longer text a complaint. */
const COMPLAINT_SHARE = 0.8;
/** The most UTF-16 units of a message of signs and emoji. Longer ones are a description. */
const WORDLESS_MAX = 40;

/** `talk` is neither an order nor a change of a picture. */
export const EXAMPLES = ["orders", "changes", "talk"] as const;
export type Examples = (typeof EXAMPLES)[number];

type Spoken = { t(key: string): string };

/** Reads what people write in every language, of a kind. */
type ReadExamples = (kind: Examples) => readonly string[];

/**
 * Reads the lists of all languages: people write in any of them, whatever language the bot speaks to them. What lists do
 * not know is judged by examples, which are learnt when they are first needed.
 */
export function createIntentReader(languages: readonly Spoken[], readExamples: ReadExamples): ReadIntent {
  let learnt: Promise<Lists> | undefined;
  const slices = new Slices();
  const forget = (error: unknown) => {
    learnt = undefined;
    throw error;
  };
  return async (text, context = {}) => {
    learnt ??= listsOf(languages, readExamples).catch(forget);
    const lists = await learnt;
    // The long texts of a batch would hold the event loop together.
    const pause = slices.begin();
    await pause();
    return settled(read(text, context, lists), text, context, lists);
  };
}

type Lists = Awaited<ReturnType<typeof listsOf>>;

async function listsOf(languages: readonly Spoken[], examples: ReadExamples) {
  const listed = (key: string) =>
    languages.flatMap(({ t }) => t(key).split(",")).map((words) => words.trim().toLowerCase());
  const words = (key: string) => new Words(listed(`words-${key}`));
  const meanings = [...COMMANDS, ...TALK].flatMap((meaning) =>
    listed(`words-${meaning}`).map((said) => [plainWords(said) || plainSigns(said), meaning] as const),
  );
  const kinds = GENERATION_TYPES.flatMap((type) =>
    listed(`request-kinds-${type}`).map((noun) => [noun, type] as const),
  );
  const nouns = [
    ...GENERATION_TYPES.flatMap((type) =>
      listed(`request-nouns-${type}`).map((noun) => [noun, type] as const),
    ),
    ...kinds,
  ];
  const imageVerbs = listed("request-verbs-image");
  const songVerbs = listed("request-verbs-music");
  const verbs = [...listed("request-verbs"), ...imageVerbs, ...songVerbs];
  const fillers = listed("request-fillers");
  const polite = listed("words-polite");
  return {
    /** Meanings by words in the form of `plainWords`, or by emoji in the form of `plainSigns`. */
    meanings: new Map<string, Command | Talk>(meanings),
    nouns: new Map(nouns),
    imageVerbs: new Words(imageVerbs),
    /** Nouns that are a part of the description: a lullaby, a time-lapse, a logo. */
    kinds: new Words(kinds.map(([noun]) => noun)),
    verbs: new Words(verbs),
    /** “Sing about the sea”, with what follows the verb. */
    song: new RegExp(`^\\s*(?:${oneOf(fillers)}${GAP})*${oneOf(songVerbs)}([^]*)$`, "iu"),
    request: requestPattern({
      verbs,
      fillers,
      leads: [...listed("request-leads"), ...fillers],
      tones: listed("request-tones"),
      nouns: nouns.map(([noun]) => noun),
    }),
    joints: new RegExp(`^${oneOf(listed("request-joints"))}`, "iu"),
    /** What stands before what a request asks for. */
    ahead: new Words([...verbs, ...fillers, ...listed("request-leads")]),
    one: words("one"),
    /** Words with which people go on describing. */
    additions: new RegExp(`^\\s*${oneOf(listed("request-additions"))}`, "iu"),
    links: new RegExp(`^${oneOf(listed("request-links"))}[\\s:]*`, "iu"),
    promo: listed("words-promo").map(plainWords),
    phrases: listed("words-support-phrases").map((phrase) =>
      phrase.split(/\s+/).map((word) => new Words([word])),
    ),
    lead: words("lead"),
    small: new Words([...listed("words-small"), ...polite]),
    polite: new Words(polite),
    thank: words("thank"),
    /** Words that tell where or with what: they begin a change of a picture. */
    place: words("place"),
    /** Words of praise that are descriptions elsewhere. */
    praise: words("praise"),
    question: words("question"),
    not: words("not"),
    support: words("support"),
    swear: words("swear"),
    price: words("price"),
    how: words("how"),
    more: words("more"),
    moreWith: new Words([...listed("words-more-with"), ...polite]),
    modal: words("modal"),
    animate: words("animate"),
    /** “This” and what stands beside it: they name what is there already. */
    pronoun: new Words([...listed("words-this"), ...listed("words-this-with")]),
    self: words("this"),
    topic: words("topic"),
    likeness: await learn(
      {
        orders: () => examples("orders"),
        changes: () => examples("changes"),
        talk: () => examples("talk"),
      },
      marksOf,
    ),
  };
}

/** Splits a text into words and question marks, without links and names of people. */
function marksOf(text: string): readonly string[] {
  const own = plain(text).replace(/https?:\/\/\S+|@\w+/g, "");
  return own.match(/[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*|\?/gu) ?? [];
}

const describe = (text: string): Intent => ({ kind: "describe", text });
const talk = (about: Talk): Intent => ({ kind: "talk", about });
const command = (name: Command, argument = ""): Intent => ({ kind: "command", name, argument });

function read(text: string, context: IntentContext, lists: Lists): Intent {
  const meaning = meaningOf(text, lists);
  const named = COMMANDS.find((name) => name === meaning);
  if (named) return command(named);
  const about = TALK.find((one) => one === meaning);
  if (about) return talk(about);
  if (!/\p{L}/u.test(text)) return text.length <= WORDLESS_MAX ? talk("wordless") : describe(text);
  if (context.isModel) return { kind: "model" };
  const words = wordsOf(text);
  const code = words.length <= MEANING_WORDS_MAX ? promoCodeIn(text, lists) : undefined;
  if (code !== undefined) return command("promo", code);
  const isShort = words.length <= TALK_WORDS_MAX && !text.trim().includes("\n");
  if (isComplaint(words, isShort, lists)) return { kind: "support" };
  if (isShort) return readShort(text, withoutLead(words, lists), context, lists);
  return readRequest(text, lists) ?? guess(text, context, lists);
}

function meaningOf(text: string, lists: Lists): Command | Talk | undefined {
  const { meanings } = lists;
  const words = text.length <= MEANING_LENGTH_MAX ? plainWords(text) : undefined;
  if (words === undefined) return undefined;
  if (words === "") return meanings.get(plainSigns(text));
  const whole = meanings.get(words);
  if (whole) return whole;
  // “OK, thanks!”: each part has a meaning, and the last one counts.
  const parts = text.split(/[^\p{L}\p{N}\s'’-]+/u).map(plainWords);
  const meant = parts.filter((part) => part !== "").map((part) => meanings.get(part));
  if (meant.length > 1 && meant.every((one) => one !== undefined)) return meant.at(-1);
  return lastOfRun(words.split(" "), lists);
}

/** Reads a run of small talk without punctuation, such as “wow cool thank you”: what it ends with counts. */
function lastOfRun(words: readonly string[], { meanings, lead }: Lists): Command | Talk | undefined {
  let meant: Command | Talk | undefined;
  for (let at = 0; at < words.length; ) {
    const said = phraseAt(words, at, meanings);
    if (said === undefined && !lead.has(words[at] ?? "")) return undefined;
    meant = said?.meant ?? meant;
    at += said?.length ?? 1;
  }
  return meant;
}

function phraseAt(words: readonly string[], at: number, meanings: Lists["meanings"]) {
  for (let length = RUN_PHRASE_MAX; length > 0; length -= 1) {
    const meant = meanings.get(words.slice(at, at + length).join(" "));
    if (meant !== undefined && RUN.includes(meant)) return { meant, length };
  }
  return undefined;
}
const RUN: readonly (Command | Talk)[] = ["thanks", "yes", "no"];
const RUN_PHRASE_MAX = 5;

/** Returns the one word after what people write in place of `/promo`, as it was written. */
function promoCodeIn(text: string, { promo }: Lists): string | undefined {
  const words = text.trim().split(/[\s:]+/);
  const code = words.pop() ?? "";
  return /^[\p{L}\p{N}_-]{2,40}$/u.test(code) && promo.includes(plainWords(words.join(" ")))
    ? code
    : undefined;
}

/** True for words to support: a phrase of its list, or a longer text that has hardly a word about anything else. */
function isComplaint(words: readonly string[], isShort: boolean, lists: Lists): boolean {
  if (words.length > COMPLAINT_WORDS_MAX) return false;
  if (isShort && words.length <= TO_BOT_WORDS_MAX && words.some((word) => lists.swear.has(word))) return true;
  const known = words.filter((word) => isKnown(word, lists)).length / words.length;
  // A single word is a complaint where nothing else is described.
  const phrases = lists.phrases.filter((phrase) => phrase.length > 1 || known === 1);
  const hasPhrase = phrases.some((phrase) =>
    words.some((_word, at) => phrase.every((one, offset) => one.has(words[at + offset] ?? ""))),
  );
  return hasPhrase && (isShort || known >= COMPLAINT_SHARE);
}

/** True for a word that describes nothing: it is about the service, or needs others. */
function isKnown(word: string, lists: Lists): boolean {
  const { small, topic, question, not, support, price, swear, how } = lists;
  // “10р”, “8pm”
  if (/^\p{N}+\p{L}{0,2}$/u.test(word)) return true;
  return [small, topic, question, not, support, price, swear, how].some((one) => one.has(word));
}

/** Reads a text of few words. @param words without those with which people begin to speak */
function readShort(text: string, words: readonly string[], context: IntentContext, lists: Lists): Intent {
  const { small, topic, question, price, how, not, more, moreWith, verbs } = lists;
  const [first = ""] = words;
  const isAll = (...bags: readonly Words[]) => words.every((word) => bags.some((bag) => bag.has(word)));
  const has = (bag: Words) => words.some((word) => bag.has(word));
  const isQuestion = isQuestioned(text);
  if (words.length === 0) return talk("wordless");
  if (context.last && !context.card && isPraise(wordsOf(text), context.last, lists)) return talk("thanks");
  if (isAll(more, moreWith) && has(more)) return moreOf(words, context, lists);
  if (isOfThis(words, lists)) return { kind: "animate" };
  if (isAll(price, small, topic, question) && has(price)) return talk("price");
  if ((asks(words, lists) || isQuestion) && isAll(how, small, topic, question) && has(how))
    return command("help");
  const request = readRequest(text, lists);
  const isRequested = request?.kind === "describe" && request.text !== "" && !isQuestion;
  // “A song about work”
  const isOrdered = isRequested && (has(verbs) || request.type === "music");
  const all = wordsOf(text);
  if (!isOrdered && (all.length > 1 || isQuestion) && isAboutService(words, lists))
    return { kind: "support" };
  const isDenied = lists.self.has(first) && has(not) && words.length <= TO_BOT_WORDS_MAX;
  if (isDenied) return { kind: "support" };
  // “Make the picture brighter” asks for no other one.
  const isChange = () => context.last === "image" && guess(text, {}, lists).kind === "edit";
  if (request && !isChange()) return request;
  // “Do it” beside a card that lacks nothing
  if (isAll(verbs, small) && has(verbs) && context.card?.hasText) return talk("yes");
  if (isAll(verbs, small)) return has(verbs) || words.length === 1 ? talk("wordless") : { kind: "unsure" };
  if (has(lists.imageVerbs) && isOrder(text, lists, DRAWN_ORDER_MIN))
    return lists.imageVerbs.has(first) && !context.isReply
      ? { kind: "describe", type: "image", text }
      : describe(text);
  const isPlace = words.length <= PLACE_WORDS_MAX && lists.place.has(first);
  if (isPlace && isAfterPicture(context) && isOrder(text, lists, 0)) return { kind: "edit" };
  const isAdded = context.card?.hasText && !context.isReply && (isPlace || lists.additions.test(text));
  if (isAdded && isOrder(text, lists, 0)) return { kind: "edit" };
  const guessed = guess(text, context, lists);
  const isThanks = lists.thank.has(all[0] ?? "") && !isQuestion && !has(not) && !has(lists.support);
  return guessed.kind === "unsure" && isThanks ? talk("thanks") : guessed;
}

/** The most words of a change that tells only where or with what: “on a roof”. */
const PLACE_WORDS_MAX = 4;

function isAfterPicture({ last, card, isReply }: IntentContext): boolean {
  return isReply === true || (last === "image" && !card);
}

/** Reads by the examples what words say that no list knows. */
function guess(text: string, context: IntentContext, { likeness }: Lists): Intent {
  if (marksOf(text).length === 0) return describe(text);
  const { orders, changes, talk } = likeness(text);
  const { last, card, isReply } = context;
  const isAfterOther = isReply || (card ? card.hasText : last !== undefined);
  const change = changes + (isAfterOther ? CHANGE_BIAS : FIRST_CHANGE_BIAS);
  if (Math.max(orders, change) <= talk + ORDER_MIN) return { kind: "unsure" };
  return change > orders ? { kind: "edit" } : describe(text);
}

/** How much more than by its words a text is a change: after a card or a result, and after nothing. */
const CHANGE_BIAS = 1;
const FIRST_CHANGE_BIAS = -14;
/** How much more like an order than like talk words must be. The more, the more descriptions wait for a tap. */
const ORDER_MIN = 3;
/** The same where the bot has asked for words, and for such as begin with “about”. */
const ASKED_ORDER_MIN = 2.2;
const JOINED_ORDER_MIN = -1;
/** The same after a verb of drawing, and where support may wait for words. */
const DRAWN_ORDER_MIN = -6;
/** The same of a request that ends as a question. */
const QUESTIONED_ORDER_MIN = -4;
const CLEAR_ORDER_MIN = 4;

/** True for what looks more like an order, or a change of what there is, than like talk, by the examples. */
function isOrder(text: string, { likeness }: Lists, least: number, mayChange = true): boolean {
  const { orders, changes, talk } = likeness(text);
  return Math.max(orders, mayChange ? changes : orders) > talk + least;
}

/** A longer text may have a swear word, “you” or “this is not” as a part of what it describes. */
const TO_BOT_WORDS_MAX = 6;

function isQuestioned(text: string): boolean {
  return text.trimEnd().slice(-QUESTION_END).includes("?");
}
/** Characters at the end of a question, with what may follow its mark. */
const QUESTION_END = 4;

/** Wants a video of “this”: to animate it, or to make a video of it. */
function isOfThis(words: readonly string[], lists: Lists): boolean {
  const { animate, self, pronoun, small, topic, nouns, question, modal } = lists;
  const [first = ""] = words;
  if (question.has(first) && !modal.has(first)) return false;
  if (!words.every((word) => [animate, pronoun, small, topic].some((one) => one.has(word)))) return false;
  const isVideo = words.some((word) => nouns.get(word) === "video") && words.some((word) => self.has(word));
  return isVideo || words.some((word) => animate.has(word));
}

/** Wants the last result again, or one of the kind that it names. */
function moreOf(words: readonly string[], { last }: IntentContext, { nouns }: Lists): Intent {
  const type = words.map((word) => nouns.get(word)).find((one) => one !== undefined);
  return type === undefined || type === last ? { kind: "more" } : { kind: "describe", type, text: "" };
}

function isPraise(words: readonly string[], last: GenerationType, lists: Lists): boolean {
  const { praise, small, lead, nouns } = lists;
  const isOf = (word: string) =>
    nouns.get(word) === last || [praise, small, lead].some((one) => one.has(word));
  return words.some((word) => praise.has(word)) && words.every(isOf);
}

function withoutLead(words: readonly string[], { lead }: Lists): readonly string[] {
  const begin = words.findIndex((word) => !lead.has(word));
  return begin < 0 ? [] : words.slice(begin);
}

/** True where each word is known, and together they ask, complain, or deny something of the service. */
function isAboutService(words: readonly string[], lists: Lists): boolean {
  if (!words.every((word) => isKnown(word, lists))) return false;
  const has = (bag: Words) => words.some((word) => bag.has(word));
  return asks(words, lists) || has(lists.support) || (has(lists.not) && has(lists.topic));
}

/** True where a question word stands first, second after a small word, or last. */
function asks([first = "", ...others]: readonly string[], { question, small }: Lists): boolean {
  const isSecond = small.has(first) && question.has(others[0] ?? "");
  return question.has(first) || isSecond || question.has(others.at(-1) ?? "");
}

/** Reads an intent in its context: doubt is a description only where something was asked for. */
function settled(intent: Intent, text: string, context: IntentContext, lists: Lists): Intent {
  const { last, card, isReply = false, isAnswered = false } = context;
  const isAsked = isReply || (card !== undefined && !card.hasText);
  const toPeople: Intent = isAnswered && !isReply ? { kind: "support" } : { kind: "unsure" };
  switch (intent.kind) {
    case "more":
      return last ? intent : talk("wordless");
    case "animate":
      if (last === "image" && !isReply && !card?.hasPictures) return intent;
      return { kind: "describe", type: "video", text: "" };
    case "edit":
      if (isReply) return intent;
      if (card?.maySing) return describe(text);
      if (card?.hasText) return { kind: "add" };
      if (card?.hasPictures) return describe(text);
      return last === "image" && !card ? intent : toPeople;
    case "unsure": {
      if (card?.maySing && !isReply) return describe(text);
      // “About my mum” says of what the song shall be.
      const least = !isReply && lists.joints.test(text) ? JOINED_ORDER_MIN : ASKED_ORDER_MIN;
      return isAsked && isOrder(text, lists, least, isReply || card?.hasPictures) ? describe(text) : toPeople;
    }
    case "talk": {
      const isAnswer = isAnswered && ["yes", "no", "wordless"].includes(intent.about);
      return isAnswer && !isReply ? toPeople : intent;
    }
    case "describe":
      if (intent.type === undefined && isOneMore(text, context, lists)) return toPeople;
      if (intent.type !== undefined || isAsked || !isAnswered) return intent;
      return isOrder(text, lists, CLEAR_ORDER_MIN) ? intent : toPeople;
    default:
      return intent;
  }
}

/** “Now one about summer”, “another with a choir”: after a song or a video it may be of that kind. */
function isOneMore(text: string, { last, card, isReply }: IntentContext, lists: Lists): boolean {
  if (!last || last === "image" || card || isReply) return false;
  const words = wordsOf(text);
  const begin = words.findIndex((word) => !lists.ahead.has(word));
  const isNamed = words.slice(0, begin + 1).some((word) => lists.one.has(word) || lists.more.has(word));
  // Not «где-то в лесу».
  const isJoined = lists.joints.test(words.slice(begin).join(" ")) && !words[begin]?.includes("-");
  return isNamed || isJoined || lists.one.has(words.at(-1) ?? "");
}

/** Reads what asks for a kind, such as “make a video of a fox”, also after thanks. One “of this” describes nothing. */
function readRequest(text: string, lists: Lists): Intent | undefined {
  const rest = withoutThanks(text, lists);
  return requestIn(text, false, lists) ?? (rest === text ? undefined : requestIn(rest, true, lists));
}

/** Drops what is only said before a request: “thanks! now make …”. */
function withoutThanks(text: string, lists: Lists): string {
  let rest = text;
  for (;;) {
    const [whole = "", said = ""] = /^\s*([^,.!?\n]{1,40})[,.!)]+\s*/u.exec(rest) ?? [];
    const words = wordsOf(said);
    const meaning = meaningOf(said, lists);
    const isSaid = (meaning && RUN.includes(meaning)) || words.every((word) => lists.lead.has(word));
    if (words.length === 0 || !isSaid) return rest;
    rest = rest.slice(whole.length);
  }
}

/** @param isAfterThanks only a verb asks then: not “thanks, the song about grandma is great” */
function requestIn(text: string, isAfterThanks: boolean, lists: Lists): Intent | undefined {
  const [, verb, tone = "", noun = "", said = ""] = lists.request.exec(text) ?? [];
  const after = isOnlyPolite(said, lists) ? "" : said;
  const type = lists.nouns.get(plain(noun).replace(/\s+/g, " "));
  const [, song] = type ? [] : (lists.song.exec(text) ?? []);
  if (song !== undefined) return { kind: "describe", type: "music", text: withoutMarks(song) };
  // «видео-арт»
  if (!type || /^-\p{L}/u.test(after)) return undefined;
  if (type !== "music" && isOnlyThis(wordsOf(after), lists))
    return type === "video" ? { kind: "animate" } : { kind: "describe", type, text: "" };
  const rest = after.trim();
  if (isAfterThanks && !verb) return undefined;
  // “Can you make a picture of a real person?”
  if (rest !== "" && isQuestioned(text) && !isOrder(text, lists, QUESTIONED_ORDER_MIN, false))
    return undefined;
  const isKind = lists.kinds.has(plain(noun));
  const isSeparated = (type === "image" ? /^(?::|\s+[-–—]\s)/ : /^(?:[:,]|\s+[-–—]\s)/).test(after);
  const description = withoutMarks(rest).replace(lists.links, "");
  if (!verb && description !== "") {
    // “Video games” and a song text that begins with a noun are descriptions.
    // «Песню папе»: the accusative wants one. «Видео поезд едет»
    const isJoined =
      type !== "image" &&
      !text.includes("\n") &&
      (lists.joints.test(rest) ||
        /[ую]$/i.test(noun) ||
        (type === "video" && (isKind || /^[а-я]/i.test(noun))));
    if (!isSeparated && !isJoined) return undefined;
  }
  if (type !== "image" && /^\s+[\p{L}\p{N}]/u.test(after) && !lists.joints.test(rest)) {
    // «Песню включили на свадьбе», “can you do videos longer than a minute”
    if (!isOrder(text, lists, 0, false)) return undefined;
    // “Draw a movie poster” asks for a picture; the noun of “make a music album cover” is part of another one.
    if (verb && lists.imageVerbs.has(plain(verb))) return undefined;
    if (verb && /^[a-z]/i.test(noun)) return { kind: "describe", type, text: text.trim() };
  }
  // “A funny song”, “a lullaby”; “nice picture!” asks for none.
  const toned = wordsOf(tone);
  if (!verb && description === "" && toned.length > 0 && toned.every((word) => lists.praise.has(word)))
    return undefined;
  if (tone !== "" || isKind) return { kind: "describe", type, text: `${tone}${noun}${after}`.trim() };
  // A picture may be described by its noun: a photo, a drawing.
  return { kind: "describe", type, text: type === "image" && description !== "" ? text.trim() : description };
}

function withoutMarks(text: string): string {
  return text.trim().replace(/^[\s:,.!?–—-]+/, "");
}

function isOnlyPolite(text: string, { polite }: Lists): boolean {
  const words = text.length <= MEANING_LENGTH_MAX ? wordsOf(text) : [];
  return words.length > 0 && words.every((word) => polite.has(word));
}

function isOnlyThis(words: readonly string[], { pronoun, self, small }: Lists): boolean {
  if (words.length === 0 || words.length > TALK_WORDS_MAX) return false;
  if (words.every((word) => pronoun.has(word))) return true;
  return words.some((word) => self.has(word)) && words.every((word) => pronoun.has(word) || small.has(word));
}

const GAP = "[\\s,!.]*";

/** Builds a pattern with four groups: the verb, how it is, the noun, and what follows. `leads`: only around a verb. */
function requestPattern(
  lists: Readonly<Record<"verbs" | "fillers" | "leads" | "tones" | "nouns", readonly string[]>>,
): RegExp {
  const several = (words: readonly string[]) => `(?:${oneOf(words)}${GAP})*`;
  const one = (words: readonly string[]) => oneOf(words).replace("(?:", "(");
  const asked = `${several(lists.leads)}${one(lists.verbs)}${GAP}${several(lists.leads)}`;
  const tones = `(${several(lists.tones)})`;
  return new RegExp(`^\\s*(?:${asked}|${several(lists.fillers)})${tones}${one(lists.nouns)}([^]*)$`, "iu");
}

/**
 * Matches whole words of a list, the longest first. `word*` has any ending. No two alternatives match the same words: a
 * repeated group of those would take a time that doubles with each word.
 */
function oneOf(listed: readonly string[]): string {
  const words = [...new Set(listed.map(plain))];
  const isCovered = (word: string) =>
    words.some((stem) => stem.endsWith("*") && stem !== word && word.startsWith(stem.slice(0, -1)));
  const sorted = words.filter((word) => !isCovered(word)).sort((one, other) => other.length - one.length);
  const escaped = sorted.map((one) =>
    one
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replace("*", "\\p{L}*")
      .replace(/\s+/g, "\\s+")
      .replaceAll("е", "[её]")
      .replaceAll("'", "['’]"),
  );
  return `(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`;
}
