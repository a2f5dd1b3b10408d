FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install scripts: native ones bring their binaries with them.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY config/tsconfig.build.json config/build-program.ts config/config-schema.ts ./config/
COPY src ./src
RUN npm run build && find dist -name '*.d.ts' -delete

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without what only debuggers, compilers, the packages' own tests and other machines read.
RUN npm ci --omit=dev --ignore-scripts \
  && find node_modules -type f -regex '.*\.\(map\|[cm]?ts\|[ch]\|cc\|cpp\|gypi?\)' -delete \
  && find node_modules -type d -regex '.*/\(tests?\|__tests__\)' -prune -exec rm -r {} + \
  && find node_modules -path '*/prebuilds/*' ! -name "linux-$(node -p process.arch).node" -delete \
  && find node_modules -name '*.musl.node' -delete \
  && find node_modules -type d -empty -delete

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="contact-sync" \
      org.opencontainers.image.description="Keeps Google contacts and a relationship management service the same" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# Configuration (/data/contact-sync) and state are in the volume. A container's port is reachable only if it is published.
ENV NODE_ENV=production DATA_DIR=/data XDG_CONFIG_HOME=/data LISTEN=0.0.0.0:8377
# A small young generation: halves the memory of a first sync.
ENV NODE_OPTIONS=--max-semi-space-size=5
# One heap of the C library for all threads of Node (20 MB less for a first sync) that returns freed memory (8 MB less).
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY migrations ./migrations
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/main.js /usr/local/bin/contact-sync \
  && mkdir -m 0700 /data \
  && chown node:node /data
# Writes nothing but /data, so the root file system may be read-only.
USER node
VOLUME /data
EXPOSE 8377
# The daemon finishes the write under way and exits within 10 s.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s --retries=3 CMD ["contact-sync", "health"]
# `docker run IMAGE health` and `docker run IMAGE contact-sync health` are the same; the shell makes room for the program.
ENTRYPOINT ["/bin/sh", "-c", "[ \"$1\" != contact-sync ] || shift; exec contact-sync \"$@\"", "--"]
CMD ["daemon"]
