#!/bin/sh
# Leaves of a built checkout what the running service needs: sh scripts/slim-image.sh yes, or no without the local renderer.
set -eu

case "${1:-}" in
  yes) ;;
  no)
    npm pkg delete workspaces "dependencies.@atelier/preview-renderer"
    rm -rf packages/preview-renderer/dist
    mkdir packages/preview-renderer/dist
    ;;
  *)
    echo "RENDERER: must be yes or no, not \"${1:-}\"" >&2
    exit 1
    ;;
esac
npm prune --omit=dev
sqlite=node_modules/better-sqlite3
rm -r "$sqlite/deps" "$sqlite/src"
find "$sqlite/prebuilds" -name '*.node' ! -name "$(node -p '`${process.platform}-${process.arch}`').node" -delete
find dist packages/preview-renderer/dist node_modules -name '*.map' -delete
