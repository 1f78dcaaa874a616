import type { Json } from "../../../catalogue/json.js";
import { differs, type Finding, note } from "../finding.js";
import { fits, possibleValues, shownValue } from "./fits.js";
import { findField, type PublishedFields, type PublishedModel } from "./published-model.js";
import type { SentToEndpoint } from "./sent-requests.js";

const SHOWN_MAX = 12;

/** Lists what the service would refuse or drop of what we send. */
export function fieldFindings(
  { usual, extreme }: Pick<SentToEndpoint, "usual" | "extreme">,
  { fields, readsNoOther }: Pick<PublishedModel, "fields" | "readsNoOther">,
): Finding[] {
  if (!fields) return [];
  const values = valuesByField([...usual, ...extreme].map(({ input }) => input));
  const named = [...values].flatMap(([name, sent]): Finding[] => {
    const field = findField(fields, name);
    if (field) {
      const refused = sent.filter((value) => !fits(field, value));
      if (refused.length === 0) return [];
      return [differs(`${name} ${shownList(refused)}: the service takes ${possibleValues(field)}`)];
    }
    if (!readsNoOther) return [note(`${name} is sent, and the service does not name it`)];
    // The choice of a person is lost, and the job is paid for all the same.
    const isChoice = new Set(usual.map(({ input }) => JSON.stringify(input[name]))).size > 1;
    const dropped = `${name} is sent, and the service drops it`;
    return [isChoice ? differs(`${dropped}: ${shownList(sent)} make no difference`) : note(dropped)];
  });
  return [...requiredFindings(usual, fields), ...named];
}

function requiredFindings(usual: SentToEndpoint["usual"], fields: PublishedFields): Finding[] {
  if (usual.length === 0) return [note("no request of the model reaches this mapping")];
  return Object.entries(fields).flatMap(([name, { isRequired, fallback }]): Finding[] => {
    const without = usual.filter(({ input }) => !Object.hasOwn(input, name)).length;
    if (!isRequired || without === 0) return [];
    const share =
      without === usual.length ? "never sent" : `not sent by ${without} of ${usual.length} requests`;
    if (fallback === undefined) return [differs(`${name} is required there, and ${share}`)];
    return [note(`${name} is required there, and ${share}: its default is ${shownValue(fallback)}`)];
  });
}

function valuesByField(inputs: readonly Readonly<Record<string, Json>>[]): Map<string, readonly Json[]> {
  const byField = new Map<string, Map<string, Json>>();
  for (const input of inputs) {
    for (const [name, value] of Object.entries(input)) {
      const values = byField.get(name) ?? new Map<string, Json>();
      byField.set(name, values.set(JSON.stringify(value), value));
    }
  }
  return new Map([...byField].map(([name, values]) => [name, [...values.values()]]));
}

function shownList(values: readonly Json[]): string {
  const shown = values.slice(0, SHOWN_MAX).map(shownValue);
  const more = values.length > SHOWN_MAX ? [`${values.length - SHOWN_MAX} more`] : [];
  return [...new Set(shown), ...more].join(", ");
}
