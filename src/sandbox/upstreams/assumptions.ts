/**
 * What the stand-ins do without proof: nobody asked the services themselves. A test that leans on one of these points
 * proves less than it seems to.
 */
export const ASSUMPTIONS: readonly string[] = [
  "fal: the list of requests holds only those that have ended.",
  "fal: a cancelled request is COMPLETED with client_cancelled, and its result is 499.",
  "fal: a refusal of nano-banana and Veo is no_media_generated, of every other model content_policy_violation.",
  "fal: a result that is no longer kept is 404 with NOT_FOUND.",
  "fal: xai/grok-imagine-image takes resolution 1k and 2k, as builders in use send it; its llms.txt does not name it.",
  "fal: image- and reference-to-video of seedance-2.5/flash have the fields of seedance-2.0.",
  "fal: fal-ai/minimax-music/v2.6 is its llms.txt: prompt 10 to 300, lyrics to 1000 and required, no lyrics_optimizer.",
  "fal: a locked account and one without credit give the same 403, for uploads too.",
  "kie: a refused key, a missing balance and too many calls are HTTP 200 with the code in the body.",
  "kie: a request without User-Agent gets 403 with 'error code: 1010' from the front.",
  "kie: recordInfo of a task is null for at most half a second.",
  "kie: nano-banana-2-lite and bytedance/seedance-2-5 are as builders in use send them.",
  "kie: a Veo film of the asked resolution is told at once, unless a test orders otherwise.",
  "kie: an expired file is 403.",
  "polza: an accepted asynchronous task is 201, as the table of codes says.",
  "polza: without async the answer waits until all is made.",
  "polza: a refusal by policy is BAD_GATEWAY with the maker's words.",
  "polza: parameters of Suno have the names of kie; polza's guide names them in words only.",
  "polza: grok-imagine-image takes aspect_ratio beside the size and n of its page.",
  "polza: the balance is {amount}.",
  "openai: a request whose picture is blocked in the end is answered like one that is blocked at once.",
  "openai: a picture of gpt-image-2.5 takes the sizes of gpt-image-2.",
  "replicate: a refusal by the content is a failed prediction with E005 in its words.",
  "replicate: 402 for an account without credit, 403 for one that is locked.",
  "replicate: an uploaded file is read at the address that its upload tells.",
  "replicate: lists tell inputs as they were sent, until their results are removed.",
  "replicate: seedream-5-lite takes the eight ratios of seedream-4, of which its page tells the number.",
  "comfyui: prompts run beside each other; the real one runs one at a time.",
];
