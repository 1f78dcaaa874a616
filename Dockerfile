# syntax=docker/dockerfile:1
# The long-term support line of Node, the same as in package.json (a test compares them).
ARG NODE_VERSION=26.10.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Of the packages the service loads the renderer alone: npm leaves out the dependencies of those that are not here.
COPY packages/preview-renderer/package.json packages/preview-renderer/
RUN npm ci
COPY tsconfig*.json ./
COPY scripts scripts
COPY packages/preview-renderer packages/preview-renderer
COPY src src
# no leaves out what only `local` of PROVIDERS needs: for a service whose files others make.
ARG RENDERER=yes
RUN npm run build && sh scripts/slim-image.sh "$RENDERER"

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/compile-cache DATA_DIR=/data HTTP_HOST=0.0.0.0 HTTP_PORT=8080
# Each thread would have a heap of its own: 10 MB that hold nothing.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
# Owned by root: the service cannot change its own code.
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/packages/preview-renderer/package.json packages/preview-renderer/
COPY --from=build /app/packages/preview-renderer/dist packages/preview-renderer/dist
COPY package.json ./
COPY scripts/run.mjs scripts/build.mjs scripts/
COPY locales locales
COPY data/api-guide.md data/catalogue.json data/offers.example.json data/offers.schema.json data/unchecked.json data/
COPY data/workflows data/workflows
COPY data/examples data/examples
COPY data/moderation data/moderation
COPY data/terms data/terms
# The modules as V8 has compiled them for this user: importing them starts nothing.
RUN install -d -o node compile-cache \
  && setpriv --reuid=node --regid=node --clear-groups node --eval "import('./dist/app.js')" \
  && chown -R root:root compile-cache && chmod -R a+rX compile-cache
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT}/healthz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--max-old-space-size=512", "--max-semi-space-size=2", "dist/main.js"]
