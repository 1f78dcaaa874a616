import { ENVIRONMENT } from "./config.js";
import { slipsBetween } from "./platform/slips.js";

export interface MistypedVariable {
  given: string;
  meant: string;
}

/** Names that are close to ours and mean something else. */
const OTHERS: ReadonlySet<string> = new Set(["HTTP_PROXY", "FTP_PROXY"]);
/** The least length of a name that is compared: shorter ones are close to too many others. */
const NAME_LENGTH_MIN = 6;
/** The length from which on a name may have two slips. */
const LONG = 9;

/** Lists variables that look like one of ours with a slip, where ours is not set. Nothing reads them. */
export function mistypedVariables(
  environment: Readonly<Record<string, string | undefined>>,
): MistypedVariable[] {
  const ours = ENVIRONMENT.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]));
  const known = new Set(ours);
  const missing = ours.filter((name) => name.length >= NAME_LENGTH_MIN && !environment[name]?.trim());
  return Object.keys(environment)
    .filter((given) => !known.has(given) && !OTHERS.has(given) && environment[given]?.trim())
    .flatMap((given) => {
      const meant = closest(given, missing);
      return meant === undefined ? [] : [{ given, meant }];
    });
}

function closest(given: string, names: readonly string[]): string | undefined {
  const judged = names.map((name) => ({ name, slips: slipsBetween(given.toUpperCase(), name) }));
  const [best] = judged.sort((a, b) => a.slips - b.slips);
  return best && best.slips <= (best.name.length >= LONG ? 2 : 1) ? best.name : undefined;
}
