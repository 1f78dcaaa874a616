import type { ParameterValue } from "../../contract/model.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { LeftOut } from "./form/left-out.js";
import { parameterName, valueName } from "./parameter-names.js";

const TEXT_SHOWN = 30;

/** Tells in one line of plain text what is left out. Undefined when nothing is. */
export function leftOutText({ settings, pictures }: LeftOut, language: Language): string | undefined {
  const { t } = language;
  const named = settings.map(({ name, value }) => {
    const shown = shownValue(name, value, language);
    return shown === undefined ? parameterName(name, language) : `${parameterName(name, language)}: ${shown}`;
  });
  const what = [...named, ...(pictures > 0 ? [t("left-out-pictures", { count: pictures })] : [])];
  return what.length === 0 ? undefined : t("left-out", { what: what.join(", ") });
}

function shownValue(name: string, value: ParameterValue, language: Language): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return cutText(valueName({ name }, value, language), TEXT_SHOWN);
}
