# Tocsin in a container: the bundle, what its scripts need, and the Node.js that came with npm ci.
FROM node:20-bookworm-slim AS build
WORKDIR /app
# What an install needs, before the sources: a change of code does not install again.
COPY package.json package-lock.json .npmrc ./
COPY tooling/install-runtimes.mjs tooling/unpack-chromium.mjs tooling/
COPY runtimes runtimes
RUN npm ci --ignore-scripts && node tooling/install-runtimes.mjs && node tooling/unpack-chromium.mjs
# Runtimes beside the CURRENT one, names with spaces between them: what runs below has no npm to fetch them with.
ARG RUNTIMES=""
RUN test -z "$RUNTIMES" || node tooling/install-runtimes.mjs $RUNTIMES \
  && rm -rf runtimes/*/node_modules/node-linux-*/include runtimes/*/node_modules/node-linux-*/share
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share node_modules/@sparticuz

# The Node.js that runs Tocsin came with npm ci; the system below it brings none.
FROM debian:bookworm-slim
WORKDIR /app
# For ICMP checks. A copy has no capability: where a container drops them all, nobody could start a program with one, and the
# containers' net.ipv4.ping_group_range lets programs without send pings.
RUN apt-get update && apt-get install -y --no-install-recommends iputils-ping && rm -rf /var/lib/apt/lists/* \
  && cp /usr/bin/ping /usr/bin/ping.copy && mv /usr/bin/ping.copy /usr/bin/ping
RUN useradd --system --uid 10001 --no-create-home tocsin && install -d -o tocsin -m 700 /data
COPY --from=build /app/package.json /app/
COPY --from=build /app/bin /app/bin
COPY --from=build /app/dist /app/dist
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
