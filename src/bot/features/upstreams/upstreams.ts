import { Composer } from "grammy";
import type { Admins } from "../../../ports/admins.js";
import type { Service } from "../../../ports/service.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { isAdmin } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { resumeData } from "./resume-data.js";

interface UpstreamsDeps {
  upstreams: Service["upstreams"];
  adminIds: Admins;
}

/** Handles the button ▶️ under what admins are told of a service that takes no tasks. */
export function upstreamsFeature({ upstreams, adminIds }: UpstreamsDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.filter(isAdmin(adminIds)).use(
    taps(resumeData, async (ctx, { provider }, next) => {
      const found = upstreams().find(({ name }) => name === provider);
      if (!found || !isPrivate(ctx)) return next();
      const isAway = found.state.kind !== "up";
      if (isAway) found.resume();
      await answerTap(ctx, ctx.language.t(isAway ? "provider-resuming" : "provider-is-up"));
    }),
  );
  return { name: "upstreams", callbackPrefixes: [resumeData.prefix], composer };
}
