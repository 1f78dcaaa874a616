/**
 * Stands in for the converter: a picture that is too large whole is converted only where it may become smaller, one
 * ends the process, and one takes for ever.
 */
process.on("disconnect", () => process.exit());
process.on("message", ({ source, target, pixelsMax }) => {
  if (source.endsWith("crash") || (source.endsWith("worse") && pixelsMax !== undefined)) process.abort();
  if (source.endsWith("endless")) return;
  const isTooLarge = /(?:large|worse)$/.test(source) && pixelsMax === undefined;
  if (isTooLarge) process.send({ kind: "failed", failure: "memory", message: "too much memory" });
  else if (source.endsWith("hopeless")) process.send({ kind: "failed", failure: "memory", message: "more" });
  else process.send({ kind: "done", files: [{ path: target, mime: "image/webp", width: pixelsMax ?? 1 }] });
});
