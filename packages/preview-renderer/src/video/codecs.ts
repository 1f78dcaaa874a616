import { RenderError } from "../render-error.js";

/** The libraries that encode and pack a video. */
export interface Codecs {
  webcodecs: typeof import("@napi-rs/webcodecs");
  mediabunny: typeof import("mediabunny");
}

/**
 * Loads the libraries. Done only when a video is made: the encoder is native, and where its binary is
 * missing pictures still work.
 * @throws RenderError `provider`
 */
export async function loadCodecs(): Promise<Codecs> {
  try {
    const [webcodecs, mediabunny] = await Promise.all([import("@napi-rs/webcodecs"), import("mediabunny")]);
    return { webcodecs, mediabunny };
  } catch (error) {
    const message = "this machine has no video encoder: @napi-rs/webcodecs cannot be loaded";
    throw new RenderError("provider", message, { cause: error });
  }
}
