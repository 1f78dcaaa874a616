import type { PauseReason } from "../ports/operator-notices.js";

/** What a code says: the content is refused, the account needs somebody, calls come too fast, or something broke. */
export type CodeMeaning = "policy" | "pace" | "fault" | PauseReason;

interface CodeRow {
  family: string;
  means: CodeMeaning;
  /** Whole codes without their case and what follows a dot. `*` stands for any beginning. */
  codes: readonly string[];
  source: string;
}

interface PhraseRow {
  family: string;
  source: string;
  words: readonly RegExp[];
}

/** Marks a row that no page or recording proves; `data/unchecked.json` lists its family. */
export const MEMORY = "from memory";

const FAL = "https://fal.ai/docs/documentation/model-apis/errors.md";
const MINIMAX = "https://platform.minimax.io/docs/api-reference/errorcode.md";
const GOOGLE = "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/process-blocked-responses";
const SEEDANCE = "https://blog.segmind.com/seedance-2-0-error-guide-every-error-explained-with-fixes/";
const OPENAI = "https://github.com/GooeyAI/gooey-server/pull/1091";
const XAI = "https://github.com/vercel/ai/issues/19168, and bodies of 403 that public programs test against";
const KIMI = "https://platform.kimi.com/docs/api/errors";
const NOVA = "https://docs.aws.amazon.com/nova/latest/userguide/video-gen-errors.md";
const CONTRACT = "Generation API v1, section 7, and this project's extensions of it";

/** Codes by family. A reseller hands on the codes of the makers, so all are known at every service. */
export const CODES: readonly CodeRow[] = [
  { family: "fal", means: "policy", codes: ["content_policy_violation", "no_media_generated"], source: FAL },
  {
    family: "fal",
    means: "fault",
    codes: [
      "internal_server_error",
      "generation_timeout",
      "downstream_service_error",
      "downstream_service_unavailable",
    ],
    source: FAL,
  },
  { family: "OpenAI", means: "policy", codes: ["moderation_blocked", "content_filter"], source: OPENAI },
  { family: "OpenAI", means: "policy", codes: ["responsibleaipolicyviolation"], source: MEMORY },
  {
    family: "OpenAI",
    means: "no_credit",
    codes: ["billing_hard_limit_reached", "insufficient_quota", "billing_not_active"],
    source: MEMORY,
  },
  { family: "OpenAI", means: "key_refused", codes: ["invalid_api_key"], source: MEMORY },
  { family: "OpenAI", means: "locked", codes: ["account_deactivated"], source: MEMORY },
  { family: "OpenAI", means: "pace", codes: ["rate_limit_exceeded"], source: MEMORY },
  {
    family: "Google",
    means: "policy",
    codes: [
      "safety",
      "image_safety",
      "prohibited_content",
      "image_prohibited_content",
      "blocklist",
      "spii",
      "recitation",
      "image_recitation",
    ],
    source: GOOGLE,
  },
  { family: "xAI", means: "policy", codes: ["safety_check_type_*", "content_moderation"], source: XAI },
  { family: "Kling", means: "policy", codes: ["1301"], source: MEMORY },
  { family: "Kling", means: "no_credit", codes: ["1102"], source: MEMORY },
  { family: "Kling", means: "pace", codes: ["1302", "1303"], source: MEMORY },
  {
    family: "Seedance",
    means: "policy",
    codes: ["*sensitivecontentdetected", "*riskdetection", "contentrestricted"],
    source: SEEDANCE,
  },
  { family: "MiniMax", means: "policy", codes: ["1026", "1027"], source: MINIMAX },
  { family: "MiniMax", means: "no_credit", codes: ["1008"], source: MINIMAX },
  { family: "MiniMax", means: "pace", codes: ["1002"], source: MINIMAX },
  { family: "MiniMax", means: "key_refused", codes: ["1004", "2049"], source: MINIMAX },
  { family: "Replicate", means: "policy", codes: ["e005"], source: "recorded: test/providers/http/recorded" },
  { family: "kie", means: "policy", codes: ["sensitive_word_error"], source: "https://docs.kie.ai" },
  {
    family: "polza",
    means: "policy",
    codes: ["content_policy", "content_moderation_failed", "moderation_failed"],
    source: MEMORY,
  },
  { family: "polza", means: "no_credit", codes: ["insufficient_balance"], source: MEMORY },
  { family: "Qwen", means: "policy", codes: ["datainspectionfailed"], source: MEMORY },
  { family: "Generation API", means: "policy", codes: ["content_refused"], source: CONTRACT },
  { family: "Generation API", means: "no_credit", codes: ["insufficient_funds"], source: CONTRACT },
  { family: "Generation API", means: "locked", codes: ["account_banned"], source: CONTRACT },
];

/** Phrases of refusals by content. They count where no word of `FAULT` stands beside them. */
export const PHRASES: readonly PhraseRow[] = [
  {
    family: "OpenAI",
    source: OPENAI,
    words: [
      /content(?: management)?.?polic|(?:usage|community|content|safety) (?:guideline|polic|rules?\b|standards)|polic(?:y|ies)[ _]violat/i,
      /\bsafety (?:system|filter|check|guideline|reason|violation|setting|classifier|concern)|safety_violation|(?:blocked|due to|because of) safety/i,
      /moderat(?:or|ion|ed)\b/i,
    ],
  },
  {
    family: "OpenAI",
    source: MEMORY,
    words: [
      /(?:violat|against|breach)[ \w,']{0,69}(?:polic|guideline|terms of|rules\b)|terms of (?:service|use) violat/i,
    ],
  },
  { family: "fal", source: FAL, words: [/flagged (?:as|by|for|in\b)|(?:was|were|been|is|are|got) flagged/i] },
  {
    family: "Replicate",
    source: "recorded: test/providers/http/recorded",
    words: [
      /(?<!case[- ])\bsensitive (?:words?|content|information|material|topics?|subjects?)\b|flagged as sensitive|sensitive_words?/i,
      /\bnsfw(?:_content)?\b/i,
    ],
  },
  {
    family: "MiniMax",
    source: MINIMAX,
    words: [
      /new_sensitive|\b(?:input|output|prompt|text|image|video|audio|content) (?:is|are|was|were|may be|seems) (?:too )?sensitive\b/i,
    ],
  },
  { family: "MiniMax", source: MEMORY, words: [/\b(?:input|output)_sensitive\b/i] },
  {
    family: "Nova",
    source: NOVA,
    words: [
      /blocked by (?:(?:our|the|its|an?) )?(?:\w{1,30}'s )?(?:(?:content|safety|moderation|usage|ai) )?(?:polic|filter|moderat|guardrail|safety)/i,
      /content[ _-]?(?:filter|checker|safety|restrict|moderat|violation|security (?!policy))/i,
      /guard-?rails?\b|responsible ai\b/i,
    ],
  },
  {
    family: "ComfyUI",
    source: MEMORY,
    words: [
      /\bunsafe (?:content|prompt|image|picture|video|input|output|text|material|request|generation)|\b(?:content|prompt|image|picture|video|output|result|request|text)s? (?!url)[ \w]{0,30}\bunsafe\b(?! (?:url|link|header|character|value|type))/i,
    ],
  },
  {
    family: "Google",
    source: GOOGLE,
    words: [
      /\bprohibited (?:content|use|words?|material|terms?|by)|contain\w{0,9} prohibited|\bRAI\b/i,
      /block_?reason|finish_?reason\W{1,4}(?:safety|image_safety|prohibited)/i,
    ],
  },
  {
    family: "Seedance",
    source: SEEDANCE,
    words: [/\bcopyright|real (?:person|people|human)|public figure|celebrit|likeness of/i],
  },
  {
    family: "Suno",
    source: "https://docs.kie.ai",
    words: [/existing work of art|artist name|producer tag/i],
  },
  { family: "Kling", source: MEMORY, words: [/risk control/i] },
  { family: "Kimi", source: KIMI, words: [/considered (?:to be )?high risk|content risk/i] },
  {
    family: "every",
    source: MEMORY,
    words: [
      /\b(?:sexual(?:ly)?|nudity|pornograph\w{0,9}|hate speech|self-?harm|(?:violent|harmful|inappropriate|indecent|offensive|explicit|illegal|disallowed|restricted|forbidden|adult)[ _](?:content|image|prompt|material|text|request)|(?<!mixed )content[ _](?:(?:was|is|has been) )?(?:blocked|rejected|not_allowed)|(?:banned|blacklisted) (?:words?|prompt)|(?:content|prompt|image|text)s? [ \w]{0,25}(?:inappropriate|harmful|not allowed|not permitted))\b/i,
      /(?:can(?:not|['’]t)|unable to|not able to) (?:help|assist) with|(?:prompt|request) rejected by (?:the )?model/i,
    ],
  },
  {
    family: "Chinese",
    source: MEMORY,
    words: [
      /敏感|违规|違規|违禁|违反.{0,20}(?:规|政策|法律)|(?:审核|審核|审查)(?:未|不|失败|失敗|拒)|未(?:能)?通过.{0,12}(?:审核|审查|安全)|未通過.{0,12}審核|不合规|涉黄|涉政|涉暴|色情|内容安全|不良信息|不适宜/,
    ],
  },
  {
    family: "Russian",
    source: MEMORY,
    words: [
      /модерац|цензур|(?:наруша|против)[а-яё]{0,15} .{0,40}(?:политик|правил)|политик[а-яё]{0,15} .{0,12}(?:контент|безопасност|модерац|использован)|(?:контент|содержим)[а-яё]{0,15} .{0,30}(?:политик|правил)/i,
      /запрещ[её]нн?[а-яё]{0,15} (?:контент|тем|слов|материал|изображ|содерж)|(?:контент|содержание|содержимое|промпт|запрос|изображени[ея]|текст|тема) .{0,30}запрещ|недопустим[а-яё]{0,15} (?:контент|содерж|материал|изображ|слов|текст)|(?:контент|содержание|промпт|запрос|изображени[ея]|текст) .{0,20}недопустим(?![а-яё]{0,15} (?:символ|значени|параметр|формат|размер|тип|длин))/i,
      /(?:контент|содержимое) .{0,20}(?:заблокирован|отклон[её]н)|(?:заблокирован|отклон[её]н)[ао]? систем[а-яё]{0,15} безопасност|стоп-?слов|фильтр[а-яё]{0,15} (?:контент|безопасност)|небезопасн[а-яё]{0,15} (?:контент|содерж|изображ|запрос)|неприемлем|непристойн/i,
    ],
  },
];

/** Phrases that no fault has, whatever stands beside them. */
export const SURE =
  /violates? (?:our |the |\w{1,30}'s )?(?:usage|content|community|safety) (?:guidelines|polic)|SAFETY_CHECK_TYPE_/i;

/** Words of what is broken, too fast, unpaid or malformed: a policy beside them is that of a limit or a field. */
export const FAULT =
  /rate.?limit|too many requests|quota|throttl|time[d ]{0,2}.?out|\bdeadline|unavailable|overload|capacity|try again later|must be (?:one of|an? |between|less|greater|at |boolean|string|["'])|not a valid|(?:is|are) (?:required|missing)|missing (?:field|parameter)|(?:invalid|unknown|unsupported|bad) (?:value|type|parameter|field|argument|enum|url|size|format|option)|extra inputs|(?:invalid|incorrect|missing|wrong|expired)[ \w]{0,15}api.?key|unauthori[sz]ed|(?:failed|unable|not) to (?:connect|reach|load|initiali|download|fetch)|could not (?:connect|reach|load|download|fetch)|internal (?:server )?error|out of memory|超时|限流|频率|频繁|余额|稍后|参数(?:错误|无效)|таймаут|превышен|недоступ|неверн[а-яё]{0,15} |лимит[а-яё]{0,15} |врем[яе][а-яё]{0,15} ожидания/i;

/** Words about the account, by what keeps it from taking tasks. */
export const ACCOUNT: readonly (readonly [PauseReason, RegExp])[] = [
  [
    "no_credit",
    /insufficient|exhausted|not enough|top.?up|out of (?:credits|funds)|(?:low|negative|zero|no) (?:balance|credits?)|balance (?:is )?(?:too low|low|not enough|negative|zero)|no credit|billing|payment|quota|недостаточно|пополните|нет средств|余额|欠费/i,
  ],
  [
    "locked",
    /\b(?:account|user|team|organi[sz]ation|workspace|project|subscription)\b.{0,40}(?:suspended|disabled|deactivated|locked|banned|blocked|terminated|closed|restricted|must be verified|not verified)|verify your (?:account|organi[sz]ation|identity)|(?:аккаунт|уч[её]тная запись|кабинет|пользователь).{0,40}(?:заблокирован|отключ|приостановлен)|(?:账号|账户|帐号).{0,20}(?:封|停用|冻结|锁)/i,
  ],
  [
    "key_refused",
    /(?:api.?key|key|token|credentials?|authentication).{0,40}(?:invalid|incorrect|expired|revoked|wrong|missing|disabled|not found)|(?:invalid|incorrect|expired|revoked|wrong|missing|no) (?:\w{1,30} )?(?:api.?key|key|token|credential|authentication)|неверн[а-яё]{0,15} .{0,15}ключ|ключ.{0,30}(?:недействител|отозван|не найден)/i,
  ],
];
