// The configuration variables as data, for config.ts and docs/configuration.md.
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { type AccountLimits, limitWords } from '#domain/accounts/account.ts';
import { passwordProblem } from '#domain/accounts/password.ts';
import { parseCidr } from '#egress/address-class.ts';
import { type Proxy, readProxy } from '#egress/proxy.ts';
import { isUuid } from '#lib/id.ts';
import { type LogLevel, logLevels } from '#lib/log.ts';
import { asciiHost } from '#lib/net/host-name.ts';
import { type ConfigVariable, integer, wholeNumber } from './config-variable.ts';
import { gatewayVariables } from './gateway-variables.ts';
import { providerVariables } from './provider-variables.ts';
import { addressVariables } from './address-variables.ts';
import { folderVariables } from './folder-variables.ts';
import { publishVariables } from './publish-variables.ts';
import { watchingVariables } from './watching-variables.ts';
import { pemBlocks } from '#lib/net/tls-trust.ts';
import { nearestName } from '#lib/nearest.ts';
import { type PostgresAddress, readPostgresAddress } from '#lib/net/postgres-address.ts';

/** Roles of a process; `all` is short for the complete list (design §4). */
export const roles = ['api', 'scheduler', 'runner', 'deliverer', 'upkeep'] as const;
export type Role = (typeof roles)[number];

/** The database in DATABASE_URL. */
export type DatabaseUrl =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress };

/** Generous for one team, but small enough that no account overloads the others. */
export const defaultLimits: Required<AccountLimits> = {
  checks: 10_000,
  checkGroups: 1000,
  alertChannels: 1000,
  maintenanceWindows: 1000,
  apiKeys: 1000,
  variables: 1000,
  variableBytes: 1_000_000,
  scriptFileBytes: 100 * 1_048_576,
  clientCertificates: 50,
  privateLocations: 100,
  snippets: 100,
  statusPages: 20,
  statusServices: 500,
  statusIncidents: 5000,
  statusSubscribers: 50_000,
};

const egressModes = ['public', 'private', 'any'] as const;

export type ConfigVariableName = keyof typeof configVariables;

export const configVariables = {
  HOST: {
    fallback: '127.0.0.1',
    meaning:
      'Address to listen on; `0.0.0.0` or `::` for all addresses of this machine. Serves health and metrics, and with the role `api` also REST and pages.',
    right: 'an IP address or a host name',
    read: (text) => (isIP(text) > 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  PORT: {
    fallback: '3000',
    meaning: 'Port to listen on; 0 selects a free port.',
    ...integer(0, 65_535),
  } satisfies ConfigVariable<number>,
  TOCSIN_DATA_DIR: {
    fallback: './data',
    meaning:
      'Folder of the database file, the secret key and artifacts. Created if missing; other files in it are not touched.',
    right: 'a path',
    read: (text) => (text.includes('\0') ? undefined : resolve(text)),
  } satisfies ConfigVariable<string>,
  DATABASE_URL: {
    fallback: '`sqlite:<data dir>/tocsin.db`',
    meaning: 'Database: one SQLite file, or a PostgreSQL database that several processes can share.',
    right: 'sqlite:<path of the file>, or postgres://user:password@host:5432/database',
    read: readDatabaseUrl,
  } satisfies ConfigVariable<DatabaseUrl>,
  TOCSIN_LISTEN_URL: {
    fallback: 'the same as `DATABASE_URL`',
    meaning:
      'PostgreSQL only: a direct connection for wake-ups (LISTEN) if `DATABASE_URL` points to a pooler. With `off`, each process polls once per second.',
    right: 'off, or postgres://user:password@host:5432/database',
    read: (text) => (text === 'off' ? 'off' : readPostgresAddress(text)),
  } satisfies ConfigVariable<'off' | PostgresAddress>,
  TOCSIN_ROLES: {
    fallback: 'all',
    meaning: `Roles of this process: \`all\`, or a comma-separated list of ${roles.map((role) => `\`${role}\``).join(', ')}.`,
    right: `all, or a comma-separated list of ${roles.join(', ')}`,
    read: readRoles,
  } satisfies ConfigVariable<readonly Role[]>,
  TOCSIN_PUBLIC_URL: {
    fallback: '`http://HOST:PORT`',
    meaning: 'Public base URL of this server; links in alerts and ping URLs start with it.',
    right: 'an absolute http or https URL without user, query and fragment, such as https://tocsin.example.com',
    read: readPublicUrl,
  } satisfies ConfigVariable<string>,
  TOCSIN_ALLOWED_HOSTS: {
    fallback: 'none',
    meaning:
      'Host names under which this server answers, in addition to IP addresses, `localhost` and the host of `TOCSIN_PUBLIC_URL`. Requests under other names get 421, except operations that require a key and get one (but not `/mcp`), pings, trigger URLs and `/health`.',
    right: 'a comma-separated list of host names without ports, such as tocsin.lan,*.example.com',
    read: readHosts,
  } satisfies ConfigVariable<readonly string[]>,
  TOCSIN_TRUSTED_PROXIES: {
    fallback: 'none',
    meaning:
      'Proxies in front of this server whose `X-Forwarded-For` names the client, which limits per address then count. Each must append the address of its client to the header.',
    right: 'a comma-separated list of addresses and networks, such as 127.0.0.1,10.0.0.0/8',
    read: (text) => text.split(',').map(parseCidr),
  } satisfies ConfigVariable<readonly ReturnType<typeof parseCidr>[]>,
  TOCSIN_MCP: {
    fallback: 'on',
    meaning: 'Whether [assistants](agents.md) may use `/mcp`.',
    right: 'on or off',
    read: (text) => (text === 'on' || text === 'off' ? text : undefined),
  } satisfies ConfigVariable<'on' | 'off'>,
  TOCSIN_MQTT: {
    fallback: 'on',
    meaning: 'Whether clients may read the results of [test sessions](test-sessions.md) over MQTT.',
    right: 'on or off',
    read: (text) => (text === 'on' || text === 'off' ? text : undefined),
  } satisfies ConfigVariable<'on' | 'off'>,
  TOCSIN_BOOTSTRAP_API_KEY: {
    fallback: 'random, printed once',
    meaning: 'API key of the first account, which Tocsin creates in an empty database. No effect later.',
    right: 'tsn_ followed by 32 to 128 letters, digits, _ or -',
    secret: true,
    read: (text) => (/^tsn_[A-Za-z0-9_-]{32,128}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_BOOTSTRAP_ACCOUNT_ID: {
    fallback: 'random',
    meaning: 'ID of the first account. No effect later.',
    right: 'a UUID, such as 3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27',
    read: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_BOOTSTRAP_EMAIL: {
    fallback: 'none',
    meaning:
      'Email address of the first user, who operates the installation. While there is no user, Tocsin creates this one instead of printing a setup link. Requires `TOCSIN_BOOTSTRAP_PASSWORD`.',
    right: 'an email address',
    read: (text) => (/^[^\s@]{1,190}@[^\s@]{1,60}$/.test(text) ? text.toLowerCase() : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_BOOTSTRAP_PASSWORD: {
    fallback: 'none',
    meaning: 'Password of the first user: 10 to 200 characters, not a common password. No effect later.',
    right: '10 to 200 characters',
    secret: true,
    read: (text) => (passwordProblem(text, '', false) === null ? text : undefined),
  } satisfies ConfigVariable<string>,
  ...providerVariables,
  TOCSIN_SECRET_KEY: {
    fallback: 'a file in the data folder, mode 600',
    meaning:
      'Key that encrypts secrets in the database (AES-256-GCM). Back it up: without it, the secrets cannot be decrypted.',
    right: '64 hex digits, as printed by: openssl rand -hex 32',
    secret: true,
    read: (text) => (/^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_SECRET_KEY_FILE: {
    fallback: 'none',
    meaning: 'File that contains the secret key, instead of `TOCSIN_SECRET_KEY`.',
    right: 'the path of a readable file that contains 64 hex digits',
    read: (text) => text,
  } satisfies ConfigVariable<string>,
  TOCSIN_EGRESS: {
    fallback: '`any` if `HOST` and `TOCSIN_PUBLIC_URL` are loopback addresses, else `public`',
    meaning:
      'Where checks and webhooks may connect: `public` addresses, `private` (those and private networks), or `any` (those and this machine). Tocsin itself and its database are never allowed.',
    right: 'public, private or any',
    read: (text) => egressModes.find((mode) => mode === text),
  } satisfies ConfigVariable<(typeof egressModes)[number]>,
  TOCSIN_EGRESS_ALLOW: {
    fallback: 'none',
    meaning:
      'Networks that are allowed in addition to `TOCSIN_EGRESS`. Required to reach link-local and reserved networks.',
    right: 'a comma-separated list of networks, such as 10.0.0.0/8,fd00::/8',
    read: (text) => text.split(',').map(parseCidr),
  } satisfies ConfigVariable<readonly ReturnType<typeof parseCidr>[]>,
  TOCSIN_PROXY: {
    fallback: 'none',
    meaning:
      'HTTP proxy (CONNECT) for all connections of checks and webhooks. The proxy resolves names and enforces the egress rules: `TOCSIN_EGRESS` has no effect.',
    right: 'http://host:port or http://user:password@host:port',
    read: readProxy,
  } satisfies ConfigVariable<Proxy>,
  TOCSIN_RESOLVER_CONTROL_NAME: {
    fallback: 'none',
    meaning:
      'Name that the name servers of this machine can always resolve. If they do not resolve the name of a target, Tocsin asks for the root name servers, recently resolved names and this name. If nothing is answered, the result is `unknown` (`resolver`). Set it if this machine has no access to the internet.',
    right: 'a domain name, such as dc1.corp.example',
    read: (text) => (/^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63})*\.?$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_CA_FILE: {
    fallback: 'none',
    meaning:
      'File of CA certificates (PEM) that checks, webhooks, scripts and their browsers, and commands that talk to a server, trust in addition to the public CAs. They also trust the certificates in `NODE_EXTRA_CA_CERTS`.',
    right: 'the path of a readable PEM file with at least one certificate',
    read: readCertificates,
  } satisfies ConfigVariable<readonly string[]>,
  ...gatewayVariables,
  ...watchingVariables,
  ...folderVariables,
  ...publishVariables,
  ...addressVariables,
  TOCSIN_METRICS_TOKEN: {
    fallback: 'none',
    meaning:
      'Token that `GET /metrics` requires as `Authorization: Bearer <token>`. If `HOST` or `TOCSIN_PUBLIC_URL` is not a loopback address, metrics require this token or `TOCSIN_METRICS_PORT`.',
    right: '16 to 256 visible characters without spaces, as printed by: openssl rand -hex 32',
    secret: true,
    read: (text) => (/^[\x21-\x7e]{16,256}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_METRICS_PORT: {
    fallback: 'none',
    meaning:
      'Separate port for `/metrics`, on the address in `HOST`; `PORT` then serves no metrics. Requires a token only if `TOCSIN_METRICS_TOKEN` is set. 0 selects a free port.',
    right: 'an integer from 0 to 65535, different from PORT',
    read: (text) => wholeNumber(text, 0, 65_535),
  } satisfies ConfigVariable<number>,
  TOCSIN_LOCATION: {
    fallback: '`local:Local`',
    meaning: 'Run location of this process: a code and a display name.',
    right: 'code or code:Name; the code has 1 to 32 lower-case letters, digits and -, the name up to 64 characters',
    read: readLocation,
  } satisfies ConfigVariable<{ code: string; name: string }>,
  TOCSIN_DELIVERIES: {
    fallback: 'sent',
    meaning:
      'Set `held` to start a copy of an installation without sending alerts: deliveries wait until an operator releases or discards them (`POST /v1/held-deliveries/release`).',
    right: 'sent or held',
    read: (text) => (text === 'sent' || text === 'held' ? text : undefined),
  } satisfies ConfigVariable<'sent' | 'held'>,
  TOCSIN_RETENTION_DAYS: {
    fallback: '30',
    meaning: 'Number of days for which individual results are stored.',
    ...integer(1, 3650),
  } satisfies ConfigVariable<number>,
  TOCSIN_AUDIT_DAYS: {
    fallback: '365',
    meaning: 'Number of days for which entries of the audit log are stored.',
    ...integer(1, 3650),
  } satisfies ConfigVariable<number>,
  TOCSIN_RATE_LIMIT: {
    fallback: '600',
    meaning:
      'Requests allowed per minute for each API key, and for each address without a valid key. An address gets ten times as many pages without sign-in. 0 disables these limits.',
    ...integer(0, 1_000_000),
  } satisfies ConfigVariable<number>,
  TOCSIN_ACCOUNT_RATE_LIMIT: {
    fallback: '5 × `TOCSIN_RATE_LIMIT`',
    meaning: 'Requests allowed per minute for each account, all API keys together. 0 disables the limit.',
    ...integer(0, 1_000_000),
  } satisfies ConfigVariable<number>,
  TOCSIN_ACCOUNT_LIMITS: {
    fallback: `\`${limitsText(defaultLimits)}\``,
    meaning:
      'Maximum number of each resource per account. Omitted names keep their default, 0 removes a limit, `off` removes all. An operator can set different `limits` for an account.',
    right: `off, or a comma-separated list of name=number; names: ${Object.keys(limitWords).join(', ')}`,
    read: readLimits,
  } satisfies ConfigVariable<AccountLimits>,
  TOCSIN_PING_LIMIT: {
    fallback: '60',
    meaning:
      'Pings allowed per minute for each URL and signal (success, fail, start, log), per process. 0 disables the limit.',
    right: '0, or an integer from 60 to 1000000',
    // Below one per second, refusing a ping could make a check late (docs/decisions/0090).
    read: (text) => (text === '0' ? 0 : wholeNumber(text, 60, 1_000_000)),
  } satisfies ConfigVariable<number>,
  TOCSIN_PROBE_THREADS: {
    fallback: 'processors − 1, at least 1',
    meaning: 'Number of threads that run probes.',
    ...integer(1, 64),
  } satisfies ConfigVariable<number>,
  TOCSIN_CHROMIUM: {
    fallback: 'the one installed on the system, else the one from npm ci',
    meaning: 'Path of the Chromium executable for browser checks.',
    right: 'the absolute path of an executable',
    read: (text) => (isAbsolute(text) && existsSync(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_SCRIPTS_AT_ONCE: {
    fallback: 'one per processor',
    meaning:
      'Maximum number of scripts that run at the same time, counted separately for browser checks, multi-step checks, and setup and teardown scripts. Other scripts wait.',
    ...integer(1, 64),
  } satisfies ConfigVariable<number>,
  TOCSIN_BROWSER_SECONDS: {
    fallback: '240',
    meaning: 'Timeout of a browser check run, in seconds. A run that takes longer is stopped and fails.',
    ...integer(10, 1800),
  } satisfies ConfigVariable<number>,
  TOCSIN_MULTI_STEP_SECONDS: {
    fallback: '120',
    meaning: 'Timeout of a multi-step check run, in seconds.',
    ...integer(10, 1800),
  } satisfies ConfigVariable<number>,
  TOCSIN_SCRIPTS_WARM: {
    fallback: '1',
    meaning:
      'Number of processes kept ready for the next Playwright script, so that it starts half a second sooner. Each uses 80 to 130 MB and ends after 20 minutes without a script. 0 disables them.',
    ...integer(0, 64),
  } satisfies ConfigVariable<number>,
  TOCSIN_SCRIPTS_UNCONTAINED: {
    fallback: 'no',
    meaning:
      'Whether scripts may run if this machine cannot contain them with `bubblewrap` or `namespaces`. With `yes`, anyone who can edit checks can read the files and reach the networks that Tocsin can. With `no`, scripts are refused on such a machine.',
    right: 'yes or no',
    read: (text) => (text === 'yes' || text === 'no' ? text : undefined),
  } satisfies ConfigVariable<'yes' | 'no'>,
  LOG_LEVEL: {
    fallback: 'info',
    meaning: 'Minimum level of log entries. Entries are JSON lines, or readable text on a terminal.',
    right: 'trace, debug, info, warn, error, fatal, silent',
    read: (text) => logLevels.find((level) => level === text.toLowerCase()),
  } satisfies ConfigVariable<LogLevel>,
};

/** Variables that the docs use for clients, which the service ignores without a warning. */
export const clientVariables: readonly string[] = [
  'TOCSIN_API_KEY',
  'TOCSIN_URL',
  'TOCSIN_ACCOUNT',
  'TOCSIN_PROFILES',
  'TOCSIN_TRIGGER',
];

/** The most similar variable name, with or without the prefix; null = none is similar. */
export function nearestVariable(name: string): ConfigVariableName | null {
  const plain = (each: string): string => each.replace(/^TOCSIN_/, '');
  const names = Object.keys(configVariables) as ConfigVariableName[];
  const nearest = nearestName(plain(name), names.map(plain));
  return names.find((each) => plain(each) === nearest) ?? null;
}

function readCertificates(path: string): readonly string[] | undefined {
  const certificates = pemBlocks(readFileSync(path, 'utf8'));
  // Normalized networks; refuses invalid ones.
  return certificates.length === 0 ? undefined : certificates.map((each) => new X509Certificate(each).toString());
}

function readDatabaseUrl(text: string): DatabaseUrl | undefined {
  if (/^postgres(ql)?:/i.test(text)) return { kind: 'postgres', address: readPostgresAddress(text) };
  if (/^sqlite:(\/\/)?:memory:$/i.test(text)) throw new Error('an in-memory database would lose all alerts');
  const path = /^sqlite:(?:\/\/(?=\/))?(?!\/\/[^/])(.+)$/is.exec(text)?.[1];
  return path === undefined ? undefined : { kind: 'sqlite', path: resolve(path) };
}

function limitsText(limits: AccountLimits): string {
  return Object.entries(limits)
    .map(([name, limit]) => `${name}=${limit}`)
    .join(',');
}

function readLimits(text: string): AccountLimits | undefined {
  if (text === 'off') return {};
  const limits: Record<string, number> = { ...defaultLimits };
  for (const part of text.split(',')) {
    const [, name = '', count = ''] = /^\s*(\w+)\s*=\s*(\d+)\s*$/.exec(part) ?? [];
    const limit = wholeNumber(count, 0, 100_000_000);
    if (!Object.hasOwn(limitWords, name) || limit === undefined) return undefined;
    limits[name] = limit;
  }
  return limits;
}

function readRoles(text: string): readonly Role[] | undefined {
  const names = new Set(text.split(',').map((name) => name.trim()));
  if (names.has('all')) return names.size === 1 ? roles : undefined;
  const chosen = roles.filter((role) => names.has(role));
  return chosen.length === names.size ? chosen : undefined;
}

function readHosts(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => asciiHost(name.trim())?.toLowerCase().replace(/\.$/, '') ?? '');
  return names.every((name) => /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/.test(name)) ? names : undefined;
}

function readPublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    return undefined;
  }
  return url.href.replace(/\/+$/, '');
}

function readLocation(text: string): { code: string; name: string } | undefined {
  const [, code, name] = /^([a-z0-9][a-z0-9-]{0,31})(?::(.+))?$/.exec(text) ?? [];
  if (code === undefined) return undefined;
  const words = name === undefined ? code : name.trim();
  return words.length >= 1 && words.length <= 64 ? { code, name: words } : undefined;
}
