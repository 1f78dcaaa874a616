import { basename, extname } from "node:path";
import { countNames, repeatedIn } from "./rows.js";
import { EXAMPLE, type SimTelegram } from "./sim-telegram.js";

interface Made {
  /** What the request was called, by the id in a file's address. */
  nameOf: (id: string) => string | undefined;
  /** Names of the jobs that were made for the chat. */
  due: readonly string[];
  /** No process died and no call to Telegram was lost: nothing may arrive twice. */
  isCalm: boolean;
  /** Names of jobs whose files were lost, maybe after a message whose answer was lost too. */
  gone?: ReadonlySet<string>;
  /** Data was lost: what is there no more was sent too. */
  isRestored?: boolean;
}

/** What was made reaches the chat that paid for it, once, and no other; each tap has an answer. */
export function judgeMessages(
  telegram: SimTelegram,
  { nameOf, due, isCalm, gone = new Set(), isRestored = false }: Made,
): string[] {
  const sent = [...telegram.messages.values()].flatMap(({ chatId, files, isDocument }) =>
    files.map((content) => {
      const id = basename(content, extname(content));
      return { chatId, content, id, name: nameOf(id), isDocument };
    }),
  );
  const { filesAskedBy } = telegram.book;
  const strange = sent.filter(
    ({ chatId, name }) =>
      /^number/.test(name ?? "") &&
      !name?.startsWith(`number ${Math.abs(chatId)} `) &&
      !filesAskedBy.has(chatId),
  );
  const unasked = sent.filter(
    ({ chatId, isDocument, content }) =>
      !isDocument && !content.startsWith(EXAMPLE) && !filesAskedBy.has(chatId),
  );
  return [
    ...strange.map(({ chatId, name }) => `chat ${chatId} got ${name}`),
    ...[...countNames(due)].flatMap(([name, count]) => {
      const got = new Set(sent.filter((one) => one.name === name).map(({ id }) => id)).size;
      return got === count || ((isRestored || gone.has(name)) && got > count)
        ? []
        : [`${got} of ${count} results of ${name} were sent`];
    }),
    ...(isCalm ? repeatedIn(unasked.map(({ content }) => content)) : []).map(
      (content) => `${content} was sent again`,
    ),
    ...[...telegram.taps]
      .filter((tap) => !telegram.answered.has(tap))
      .map((tap) => `tap ${tap} has no answer`),
  ];
}
