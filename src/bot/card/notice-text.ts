import type { Model } from "../../contract/model.js";
import { versionTitle } from "../../contract/version-title.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { fieldsOf } from "./form/fields.js";
import type { Notice } from "./form/notices.js";
import { pictureFields } from "./form/picture-fields.js";
import { textKey } from "./parameter-names.js";
import { shortLink } from "./short-link.js";

const MODELS_NAMED = 3;

/** Returns HTML. */
export function noticeText(notice: Notice, models: readonly Model[], language: Language): string {
  const { t, has } = language;
  switch (notice.kind) {
    case "pictures_idle": {
      const own = `pictures-idle-${models[0]?.type}`;
      return t(has(own) ? own : "pictures-idle");
    }
    case "pictures_cut": {
      const { max, given } = notice;
      const taken = t("pictures-cut", { max, count: given });
      const names = roomierModels(models, max, given);
      return names.length === 0 ? taken : `${taken} ${t("pictures-cut-more", { names: names.join(", ") })}`;
    }
    case "picture_next": {
      const own = `picture-next-${textKey(notice.name)}`;
      return has(own) ? t(own) : "";
    }
    case "links_added": {
      const [link = ""] = notice.links;
      return t("links-added", { count: notice.links.length, link: escapeHtml(shortLink(link)) });
    }
    case "text_unused": {
      const own = `unused-${textKey(notice.name)}`;
      return has(own) ? t(own) : "";
    }
    case "voice_unused":
      return t("unused-voice");
  }
}

/** Names the models that take all pictures, or else those that take the most, as HTML. */
function roomierModels(models: readonly Model[], max: number, given: number): string[] {
  const lists = models.flatMap((model) => {
    const room = Math.max(0, ...pictureFields(fieldsOf(model)).map((field) => field.max));
    return room > max ? [{ title: versionTitle(model, {}), room }] : [];
  });
  const able = lists.filter(({ room }) => room >= given);
  const best = able.length > 0 ? able : lists.toSorted((one, other) => other.room - one.room);
  return best.slice(0, MODELS_NAMED).map(({ title, room }) => `${escapeHtml(title)} (${room})`);
}
