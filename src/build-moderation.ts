import type { Config, Secrets } from "./config.js";
import { loadWordList } from "./moderation/load-word-list.js";
import { RemoteJudge } from "./moderation/remote-judge.js";
import { TextModeration } from "./moderation/text-moderation.js";
import type { WordList } from "./moderation/word-list.js";
import type { Clock } from "./platform/clock.js";
import type { Logger } from "./platform/logger.js";
import { openAgent } from "./platform/outgoing-agent.js";
import { reasonOf } from "./platform/reason-of.js";
import { StartError } from "./platform/start-error.js";

interface ModerationParts {
  config: Config;
  secrets: Secrets;
  clock: Clock;
  logger: Logger;
}

/** Reads the operator's rules. Throws StartError with one line that names file and line. */
function readWordList({ moderationFiles }: Config): WordList {
  try {
    return loadWordList(moderationFiles);
  } catch (error) {
    throw new StartError(`MODERATION_FILE: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Builds who judges words: the list, and the endpoint where there is one. `close` ends its connections.
 * @throws StartError for a wrong rule
 */
export function buildModeration({ config, secrets, clock, logger }: ModerationParts) {
  const readList = () => readWordList(config);
  const { moderationApiRoot: apiRoot, moderationModel: model, isModerationOpen: isOpenWhenDown } = config;
  if (apiRoot === undefined)
    return { moderation: new TextModeration({ readList, isOpenWhenDown, logger }), close: async () => {} };
  const { httpsProxy, moderationApiKey: key } = secrets;
  const dispatcher = openAgent({ proxy: { httpsProxy, noProxy: config.noProxy } });
  const endpoint = new RemoteJudge({ apiRoot, key, model, dispatcher, clock });
  const moderation = new TextModeration({ readList, endpoint, isOpenWhenDown, logger });
  return { moderation, close: () => dispatcher.destroy() };
}
