import type { GenerationType, Model, ModelParameter, ParameterValue } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";

type Fields = Readonly<Record<string, ParameterValue | undefined>>;

export const SAMPLE_LINK = "https://reference.invalid/image";
const TEXT = "text";

/** Builds a normalised request for each combination of discrete parameters, and for the bounds of each number. */
export function sampleRequests({ type, model_key, parameters }: Model): readonly GenerationRequest[] {
  const grouped = GROUPS[type](parameters);
  const inGroup = new Set(grouped.flatMap((fields) => Object.keys(fields)));
  let requests: Fields[] = [...grouped];
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!parameter || inGroup.has(name) || name === OF_THE_CORE) continue;
    const values: readonly (ParameterValue | undefined)[] = valuesOf(parameter);
    requests = requests.flatMap((fields) => values.map((value) => ({ ...fields, [name]: value })));
  }
  requests = requests.concat(
    Object.entries(parameters).flatMap(([name, parameter]) => {
      const bounds = parameter ? boundsOf(parameter) : [];
      return bounds.flatMap((value) =>
        grouped.map((fields) => ({ ...requests[0], ...fields, [name]: value })),
      );
    }),
  );
  return requests.map((fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return { type, model_key, ...Object.fromEntries(given) };
  });
}

const OF_THE_CORE = "count";

const GROUPS: Readonly<Record<GenerationType, (parameters: Model["parameters"]) => readonly Fields[]>> = {
  image: ({ reference_urls }) => {
    if (!reference_urls) return [{}];
    const given = { reference_urls: [SAMPLE_LINK] };
    return reference_urls.required ? [given] : [{ reference_urls: undefined }, given];
  },
  video: videoInputs,
  music: songs,
};

/** Builds what `readVideoInputs` returns: frames or references, as the mode wants them. */
function videoInputs({
  video_input_mode,
  start_frame_url,
  end_frame_url,
  reference_urls,
}: Model["parameters"]) {
  const none = { start_frame_url: undefined, end_frame_url: undefined, reference_urls: undefined };
  const uses: Fields[] = [];
  for (const mode of video_input_mode?.values ?? []) {
    if (mode === "text") uses.push({ ...none, video_input_mode: mode });
    if (mode === "frames" && start_frame_url) {
      const frame = { ...none, video_input_mode: mode, start_frame_url: SAMPLE_LINK };
      if (!end_frame_url?.required) uses.push(frame);
      if (end_frame_url) uses.push({ ...frame, end_frame_url: SAMPLE_LINK });
    }
    if (mode === "references" && reference_urls) {
      uses.push({ ...none, video_input_mode: mode, reference_urls: [SAMPLE_LINK] });
    }
  }
  return uses;
}

/** Builds what `readSong` returns: the text of the mode, and one style or none. */
function songs({ mode, lyrics, style_preset_id, custom_style }: Model["parameters"]): readonly Fields[] {
  const none = {
    description: undefined,
    lyrics: undefined,
    style_preset_id: undefined,
    custom_style: undefined,
  };
  const styles: Fields[] = [{}];
  for (const value of style_preset_id?.values ?? []) styles.push({ style_preset_id: value });
  if (custom_style) styles.push({ custom_style: TEXT });
  return (mode?.values ?? []).flatMap((value): readonly Fields[] => {
    if (value === "lyrics") {
      const words = { ...none, mode: value, lyrics: TEXT };
      return lyrics ? styles.slice(1).map((style) => ({ ...words, ...style })) : [];
    }
    return styles.map((style) => ({ ...none, mode: value, description: TEXT, ...style }));
  });
}

function valuesOf({ type, values, default: fallback, required }: ModelParameter) {
  if (values) return values;
  if (type === "boolean") return [false, true];
  if (type === "integer" || type === "number") return [typeof fallback === "number" ? fallback : undefined];
  return required ? [TEXT] : [undefined, TEXT];
}

/** Returns the bounds of a number without a list of values: they are tried one parameter at a time. */
function boundsOf({ type, values, min, max }: ModelParameter): readonly number[] {
  if (values || (type !== "integer" && type !== "number")) return [];
  return [min, max].filter((bound) => bound !== undefined);
}
