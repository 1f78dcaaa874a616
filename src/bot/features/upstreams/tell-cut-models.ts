import type { Api } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { Service } from "../../../ports/service.js";
import type { Language } from "../../texts/texts.js";

interface TellParts {
  api: Pick<Api, "sendMessage">;
  service: Pick<Service, "onModelsCut">;
  adminIds: ReadonlySet<number>;
  languageOf: (userId: number) => Language;
  logger: Logger;
}

/** Tells admins that the service has more models than a list can show. The log has it in any case. */
export function tellCutModels({ api, service, adminIds, languageOf, logger }: TellParts): void {
  service.onModelsCut?.((list) => {
    for (const adminId of adminIds)
      api
        .sendMessage(adminId, languageOf(adminId).t("models-cut", { ...list }))
        .catch((error: unknown) =>
          logger.warn({ admin_id: adminId, err: error }, "admin not told of models"),
        );
  });
}
