# Tocsin in a container: the bundle, the runtimes of scripts, and the Node.js installed by npm ci.
FROM node:20-bookworm-slim AS build
WORKDIR /app
# Only the files that npm ci needs, so that a change of code does not reinstall.
COPY package.json package-lock.json .npmrc ./
COPY tooling/install-runtimes.mjs tooling/unpack-chromium.mjs tooling/
COPY tooling/client-generator tooling/client-generator
COPY runtimes runtimes
RUN npm ci --ignore-scripts && node tooling/install-runtimes.mjs && node tooling/unpack-chromium.mjs
# Additional runtimes, separated by spaces. They are installed here because the final image has no npm.
ARG RUNTIMES=""
RUN test -z "$RUNTIMES" || node tooling/install-runtimes.mjs $RUNTIMES \
  && rm -rf runtimes/*/node_modules/node-linux-*/include runtimes/*/node_modules/node-linux-*/share
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share node_modules/@sparticuz

# npm ci installed the Node.js that runs Tocsin, so the base image needs none.
FROM debian:bookworm-slim
WORKDIR /app
# For ICMP checks. Copying removes the file capability: a container without capabilities could not start the program with it,
# and net.ipv4.ping_group_range of containers allows pings without it.
RUN apt-get update && apt-get install -y --no-install-recommends iputils-ping && rm -rf /var/lib/apt/lists/* \
  && cp /usr/bin/ping /usr/bin/ping.copy && mv /usr/bin/ping.copy /usr/bin/ping
RUN useradd --system --uid 10001 --no-create-home tocsin && install -d -o tocsin -m 700 /data
COPY --from=build /app/package.json /app/
COPY --from=build /app/bin /app/bin
COPY --from=build /app/dist /app/dist
COPY --from=build /app/docs/*.md /app/docs/schema.json /app/docs/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/runtimes /app/runtimes
COPY --from=build /app/tooling /app/tooling
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TOCSIN_DATA_DIR=/data PATH=/app/bin:/app/node_modules/.bin:$PATH
USER tocsin
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["tocsin", "serve"]
