import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { judgeFailedTask, judgeSubmit } from "../../../src/providers/judge-status.js";
import { ACCOUNT, CODES, FAULT, MEMORY, PHRASES, SURE } from "../../../src/providers/refusal-table.js";
import { answer } from "./answer.js";

const REFUSALS = [
  "Content violates usage guidelines. Team: t, API key ID: k, Model: m, Failed check: SAFETY_CHECK_TYPE_CSAM",
  "Your request was rejected by the safety system. If you believe this is an error, contact us.",
  "moderation_blocked",
  "ResponsibleAIPolicyViolation",
  "risk control system rejected the request",
  "input new_sensitive",
  "input_sensitive: true",
  "The input or output was flagged as sensitive. Please try again with different inputs. (E005)",
  "Error E005",
  "The guardrail stopped this request",
  "Unsafe content detected",
  "The prompt was considered unsafe",
  "finishReason: IMAGE_SAFETY",
  "Blocked: PROHIBITED_CONTENT",
  "blockReason: SAFETY",
  "caught by our AI moderator",
  "The request was rejected because it was considered high risk",
  "This is prohibited content",
  "Matches an existing work of art",
  "hate speech",
  "I'm sorry, I can't help with that request.",
  "The service refused the request by its content rules.",
  "SENSITIVE_WORD_ERROR",
  "Generation stopped: content restrictions",
  "提示词包含敏感内容",
  "内容违规，请修改后重试",
  "审核未通过",
  "输入包含违禁词",
  "内容審核失敗",
  "生成内容不合规",
  "Запрещённый контент в описании",
  "Недопустимое содержание запроса",
  "Изображение не прошло модерацию",
  "Ваш запрос нарушает правила сообщества",
  "Сработал фильтр безопасности контента",
  "Неприемлемое описание",
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
  "Banned words in the prompt",
  "Blocked: it contains blacklisted words",
  "Terms of Service violation",
  "Запрос содержит стоп-слова",
  "CONTENT_BLOCKED Your content was blocked",
  "Content rejected",
  "CONTENT_NOT_ALLOWED",
  "INAPPROPRIATE_CONTENT",
  "policy_violation",
  "nsfw_content",
  "Контент отклонён провайдером",
  "BAD_GATEWAY Контент был заблокирован",
  "Изображение отклонено системой безопасности",
];

const FAULTS = [
  "Content moderation timed out, please retry",
  "The moderation service is unavailable",
  "Rate limit policy exceeded: too many requests",
  "Your request violates our rate limit policy",
  "Quota exceeded by the usage policy of your plan",
  "You exceeded your current quota, please check your plan and billing details",
  "unsafe url",
  "The image url is unsafe to fetch",
  "The prompt contains an unsafe url",
  "safety_tolerance: Input should be less than or equal to 6",
  "enable_safety_checker: value is not a valid boolean",
  "safety checker must be one of: on, off",
  "moderation must be one of 'low' or 'auto'",
  "nsfw_checker: field required",
  "Field names are case sensitive",
  "model name is case-sensitive content type",
  "Internal server error",
  "Blocked by CORS policy",
  "Request blocked by network security policy",
  "Failed to load the safety checker: could not load weights",
  "node 12 (CLIPLoader): FileNotFoundError: no such file",
  "内容审核服务超时",
  "Сервис модерации недоступен",
  "Недопустимое значение параметра",
  "Запрос содержит недопустимые символы в поле size",
  "Доступ запрещён",
  "Превышен лимит запросов по политике использования",
  "mixed content blocked: the image url must be https",
  "Ошибка генерации медиа контента",
  "Запрос отклонён: провайдер недоступен",
  "content type is not supported",
];

const kindOf = (words: string) => judgeFailedTask({ codes: [], words }).kind;

test.each(REFUSALS)("a refusal by content: %s", (words) => {
  expect(kindOf(words)).toBe("refused");
  for (const status of [400, 403, 422]) {
    const judged = judgeSubmit(answer(status, { error: { message: words } }));
    expect(judged).toMatchObject({ kind: "refused", refusal: "policy" });
  }
});

test.each(FAULTS)("no refusal by content: %s", (words) => {
  expect(kindOf(words)).toBe("failed");
  const judged = judgeSubmit(answer(400, { error: { message: words } }));
  expect(judged).not.toMatchObject({ refusal: "policy" });
});

describe("codes come before words", () => {
  test.each([
    ["OutputVideoSensitiveContentDetected.PolicyViolation", "task failed", "refused"],
    ["1301", "task failed", "refused"],
    [1026, "task failed", "refused"],
    ["generation_timeout", "the moderator blocked it by its content policy", "failed"],
  ])("%s beside %j", (code, words, kind) => {
    expect(judgeFailedTask({ codes: [code], words }).kind).toBe(kind);
  });

  test.each([
    [
      { base_resp: { status_code: 1008, status_msg: "insufficient balance" } },
      { kind: "paused", reason: "no_credit" },
    ],
    [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, { kind: "refused", refusal: "policy" }],
    [{ candidates: [{ finishReason: "IMAGE_SAFETY" }] }, { kind: "refused", refusal: "policy" }],
    [{ error: "content_refused" }, { kind: "refused", refusal: "policy" }],
    [{ error: { message: "it broke" } }, { kind: "refused", refusal: "request" }],
    [{ id: "no task" }, { kind: "ambiguous" }],
  ])("under a good status: %j", (body, expected) => {
    expect(judgeSubmit(answer(200, body))).toMatchObject(expected);
  });
});

test("words that a person wrote, quoted by the service, are not the account's", () => {
  const message = 'rejected: "my account is suspended and locked for ever"';
  expect(judgeSubmit(answer(403, { error: { message } }))).toMatchObject({ kind: "suspected" });
});

const PATTERNS = [
  SURE,
  FAULT,
  ...PHRASES.flatMap(({ words }) => words),
  ...ACCOUNT.map(([, phrase]) => phrase),
];
/** Beginnings of what the patterns match, over and over: whoever writes a prompt that is quoted may send them. */
const REPEATED = new Set(
  [
    ...PATTERNS.map(({ source }) => source),
    ...CODES.flatMap(({ codes }) => codes),
    "_",
    "a",
    "«",
    "“",
  ].flatMap((source) => source.match(/[a-zа-яё\u4e00-\u9fff_'«“]{3,} ?|^.$/giu) ?? []),
);

test("no words, however they repeat themselves, hold up who judges them", () => {
  // The best of some tries: other processes take their time as well.
  const isSlow = (boundMs: number, run: () => unknown) =>
    [1, 2, 3, 4].every(() => {
      const startedAt = performance.now();
      run();
      return performance.now() - startedAt > boundMs;
    });
  const slow = [...REPEATED].flatMap((repeated) => {
    const words = repeated.repeat(Math.ceil(2000 / repeated.length));
    return PATTERNS.filter((pattern) => isSlow(50, () => pattern.test(words))).map(String);
  });
  expect(slow).toEqual([]);
  // Only now: the judge is given words of any length, and one slow pattern would take minutes.
  const slowlyJudged = [...REPEATED].filter((repeated) => {
    const words = repeated.repeat(Math.ceil(200_000 / repeated.length));
    return isSlow(100, () => [kindOf(words), judgeSubmit(answer(403, { error: { message: words } }))]);
  });
  expect(slowlyJudged).toEqual([]);
});

test("every family whose row is from memory says so in data/unchecked.json", () => {
  const schema = z.array(
    z.object({ service: z.string(), used: z.array(z.string()).optional(), doubt: z.string() }),
  );
  const entries = schema.parse(JSON.parse(readFileSync("data/unchecked.json", "utf8")));
  const doubts = entries
    .filter(({ used }) => used?.includes("src/providers/refusal-table.ts"))
    .map(({ doubt }) => doubt)
    .join();
  const families = [...CODES, ...PHRASES]
    .filter(({ source }) => source === MEMORY)
    .map(({ family }) => family);
  for (const family of new Set(families)) expect(doubts).toContain(family);
});

test.each([
  [402, "Payment Required"],
  [403, "Your account is suspended"],
  [401, "<html>Invalid API key</html>"],
])("a page under %i is a doubt about the account, and no pause: %s", (status, text) => {
  expect(judgeSubmit({ ...answer(status, {}), text })).toMatchObject({ kind: "suspected" });
});
