FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY config ./config
COPY migrations ./migrations
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/main.js /usr/local/bin/contact-sync && chmod +x /app/dist/main.js \
  && install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
CMD ["contact-sync", "daemon"]
