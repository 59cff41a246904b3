# Tocsin in a container: the sources run as they are, so there is nothing to build, only to install.
FROM node:20-bookworm-slim AS install
WORKDIR /app
# What npm ci needs, before the sources: a change of code does not install again.
COPY package.json package-lock.json .npmrc ./
COPY tooling/install-runtimes.mjs tooling/unpack-chromium.mjs tooling/
COPY runtimes runtimes
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share node_modules/@sparticuz
# Runtimes beside the CURRENT one, names with spaces between them: what runs below has no npm to fetch them with.
ARG RUNTIMES=""
RUN test -z "$RUNTIMES" || node tooling/install-runtimes.mjs $RUNTIMES \
  && rm -rf runtimes/*/node_modules/node-linux-*/include runtimes/*/node_modules/node-linux-*/share
COPY . .

# The Node.js that runs Tocsin came with npm ci; the system below it brings none.
FROM debian:bookworm-slim
WORKDIR /app
# For ICMP checks. A copy has no capability: where a container drops them all, nobody could start a program with one, and the
# containers' net.ipv4.ping_group_range lets programs without send pings.
RUN apt-get update && apt-get install -y --no-install-recommends iputils-ping && rm -rf /var/lib/apt/lists/* \
  && cp /usr/bin/ping /usr/bin/ping.copy && mv /usr/bin/ping.copy /usr/bin/ping
RUN useradd --system --uid 10001 --no-create-home tocsin && install -d -o tocsin -m 700 /data /var/cache/tocsin
COPY --from=install /app /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TOCSIN_DATA_DIR=/data NODE_COMPILE_CACHE=/var/cache/tocsin PATH=/app/node_modules/.bin:$PATH
USER tocsin
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "tooling/serve.sh"]
