/** Stands in for the converter: a picture that is too large whole is converted only where it may become smaller. */
process.on("disconnect", () => process.exit());
process.on("message", ({ source, target, pixelsMax }) => {
  const isTooLarge = source.endsWith("large") && pixelsMax === undefined;
  if (isTooLarge) process.send({ kind: "failed", failure: "memory", message: "too much memory" });
  else if (source.endsWith("hopeless")) process.send({ kind: "failed", failure: "memory", message: "more" });
  else process.send({ kind: "done", files: [{ path: target, mime: "image/webp", width: pixelsMax ?? 1 }] });
});
