// Reads the environment into a frozen Config; the only reader of process.env (design §6, docs/configuration.md).
import { errorMessage } from '#lib/errors.ts';
import type { LogLevel } from '#lib/log.ts';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  clientVariables,
  configVariables,
  type ConfigVariableName,
  type DatabaseUrl,
  defaultLimits,
  type Role,
} from './variables.ts';
import { type ClientConfig, clientConfigOf } from './client-config.ts';
import type { ConfigVariable } from './config-variable.ts';
import { type ConfigFolder, configFolder, fileVariablePrefix } from './folder-variables.ts';
import { providerVariables } from './provider-variables.ts';
import type { PublishBucket } from './publish-variables.ts';
import type { ChannelPlace } from './watching-variables.ts';
import { browserLimits, programLimits } from '#domain/checks/script.ts';
import type { StaticAddress } from '#domain/locations/static-address.ts';
import { isZone } from '#domain/checks/wall-time.ts';
import type { ProviderSettings } from '#domain/accounts/identity.ts';
import { passwordProblem } from '#domain/accounts/password.ts';
import type { Gateways, SmtpGateway } from '#domain/deliveries/gateways.ts';
import type { SendingLimits } from '#domain/deliveries/sending-quota.ts';
import type { AccountLimits } from '#domain/accounts/account.ts';
import { addressClass, plainAddress, type Cidr } from '#egress/address-class.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';

/** The validated configuration of this process. Paths are absolute. */
export interface Config {
  readonly host: string;
  /** 0 = a free port, selected by the system. */
  readonly port: number;
  readonly dataDir: string;
  readonly database: DatabaseUrl;
  /** Connection for wake-ups (LISTEN): null = that of the database, `off` = none. */
  readonly listen: PostgresAddress | 'off' | null;
  readonly roles: readonly Role[];
  /** As configured, without a trailing slash; null = derived from the listener (`publicUrlOf`). */
  readonly publicUrl: string | null;
  /** Names under which requests are answered, in addition to those of this machine and of the public URL. */
  readonly allowedHosts: readonly string[];
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly Cidr[];
  /** Whether `/mcp` is served. */
  readonly servesMcp: boolean;
  /** null = create one and print it once. A secret. */
  readonly bootstrapApiKey: string | null;
  /** null = random. */
  readonly bootstrapAccountId: string | null;
  /** Credentials of the first user; null = print a setup link. A secret. */
  readonly bootstrapUser: { readonly email: string; readonly password: string } | null;
  /** Identity provider with which people sign in; null = none. Contains a secret. */
  readonly provider: ProviderSettings | null;
  /** 64 lower-case hex digits; null = use a file in the data folder. A secret. */
  readonly secretKey: string | null;
  /** What channels send through. Secrets. */
  readonly gateways: Gateways;
  readonly sendingLimits: SendingLimits;
  /** Called while Tocsin works; null = none. A secret. */
  readonly watchdogUrl: string | null;
  /** Receives notices about Tocsin itself; null = none. */
  readonly noticeChannel: ChannelPlace | null;
  /** The folder of resource files that the service applies; null = none. */
  readonly configFolder: ConfigFolder | null;
  /** The account that it is applied to; null = the only one. */
  readonly configAccount: string | null;
  /** Where copies of public status pages go; null = nowhere. */
  readonly publish: { readonly folder: string | null; readonly bucket: PublishBucket | null };
  readonly egress: Required<Pick<EgressPolicy, 'mode' | 'allow' | 'proxy' | 'names'>>;
  /** Access to `/metrics`. */
  readonly metrics: {
    /** A secret; null = none. */
    readonly token: string | null;
    /** Port of a separate listener; null = none, 0 = a free one. */
    readonly port: number | null;
    /** Whether metrics are refused because neither is set and other machines can reach the server. */
    readonly isClosed: boolean;
  };
  /** CA certificates (PEM) to trust in addition to those of Node.js. */
  readonly caCertificates: readonly string[];
  readonly location: { readonly code: string; readonly name: string };
  /** Addresses from which checks come, for allow lists. */
  readonly staticAddresses: readonly StaticAddress[];
  /** Whether deliveries are held from the start. */
  readonly holdsDeliveries: boolean;
  readonly retentionDays: number;
  readonly auditDays: number;
  /** Requests per minute and key; 0 = unlimited. */
  readonly rateLimit: number;
  /** Requests per minute and account, for all its keys; 0 = unlimited. */
  readonly accountRateLimit: number;
  /** Default limits of resources per account; 0 or absent = unlimited. */
  readonly accountLimits: AccountLimits;
  /** Calls per minute, ping URL and kind; 0 = unlimited, otherwise at least 60. */
  readonly pingLimit: number;
  /** Whether results of test sessions are served over MQTT. */
  readonly servesMqtt: boolean;
  readonly probeThreads: number;
  /** Path of Chromium; null = find it. */
  readonly chromium: string | null;
  /** Maximum number of concurrent scripts per check type. */
  readonly scriptsAtOnce: number;
  /** Timeout of script runs by check type, ms. */
  readonly scriptMs: Readonly<Record<'BROWSER' | 'MULTI_STEP', number>>;
  /** Number of processes started in advance; 0 = none. */
  readonly scriptsWarm: number;
  /** Whether scripts may run uncontained. */
  readonly scriptsUncontained: boolean;
  /** IANA name of the zone of this machine: that of accounts without their own. */
  readonly serverTimeZone: string;
  readonly logLevel: LogLevel;
  /** Unknown names that start with TOCSIN_, probably misspelled, for a warning. */
  readonly unknownVariables: readonly string[];
}

/** An invalid setting. Its message is the single line printed before exit: variable, value and allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;
type Value<N extends ConfigVariableName> = NonNullable<ReturnType<(typeof configVariables)[N]['read']>>;

/**
 * Reads the configuration. An empty variable counts as absent.
 * @param env the environment; default: that of this process
 * @param cores processors this process may use, for the default of TOCSIN_PROBE_THREADS
 * @throws {ConfigError} at the first invalid value
 */
export function readConfig(env: Environment = process.env, cores: number = availableParallelism()): Config {
  const host = take(env, 'HOST') ?? '127.0.0.1';
  const dataDir = take(env, 'TOCSIN_DATA_DIR') ?? resolve('data');
  const port = take(env, 'PORT') ?? 3000;
  const rateLimit = take(env, 'TOCSIN_RATE_LIMIT') ?? 600;
  const publicUrl = take(env, 'TOCSIN_PUBLIC_URL');
  const isPrivate = isLoopbackHost(host) && (publicUrl === null || isLoopbackHost(parseHost(publicUrl)));
  return deepFreeze({
    host,
    port,
    dataDir,
    database: take(env, 'DATABASE_URL') ?? { kind: 'sqlite', path: join(dataDir, 'tocsin.db') },
    listen: take(env, 'TOCSIN_LISTEN_URL'),
    roles: take(env, 'TOCSIN_ROLES') ?? configVariables.TOCSIN_ROLES.read('all') ?? [],
    publicUrl,
    allowedHosts: take(env, 'TOCSIN_ALLOWED_HOSTS') ?? [],
    trustedProxies: take(env, 'TOCSIN_TRUSTED_PROXIES') ?? [],
    servesMcp: take(env, 'TOCSIN_MCP') !== 'off',
    bootstrapApiKey: take(env, 'TOCSIN_BOOTSTRAP_API_KEY'),
    bootstrapAccountId: take(env, 'TOCSIN_BOOTSTRAP_ACCOUNT_ID'),
    bootstrapUser: readBootstrapUser(env),
    provider: readProvider(env, publicUrl),
    secretKey: readSecretKey(env),
    egress: {
      mode: take(env, 'TOCSIN_EGRESS') ?? (isPrivate ? 'any' : 'public'),
      allow: take(env, 'TOCSIN_EGRESS_ALLOW') ?? [],
      proxy: take(env, 'TOCSIN_PROXY'),
      names: { controlName: take(env, 'TOCSIN_RESOLVER_CONTROL_NAME') },
    },
    gateways: readGateways(env),
    sendingLimits: sendingLimits(env),
    watchdogUrl: take(env, 'TOCSIN_WATCHDOG_URL'),
    noticeChannel: take(env, 'TOCSIN_NOTICE_CHANNEL'),
    configFolder: configFolder(take(env, 'TOCSIN_CONFIG_FOLDER'), env),
    configAccount: take(env, 'TOCSIN_CONFIG_ACCOUNT'),
    publish: { folder: take(env, 'TOCSIN_PUBLISH_FOLDER'), bucket: readBucket(env) },
    metrics: readMetrics(env, port, isPrivate),
    caCertificates: take(env, 'TOCSIN_CA_FILE') ?? [],
    location: take(env, 'TOCSIN_LOCATION') ?? { code: 'local', name: 'Local' },
    staticAddresses: take(env, 'TOCSIN_STATIC_ADDRESSES') ?? [],
    holdsDeliveries: take(env, 'TOCSIN_DELIVERIES') === 'held',
    retentionDays: take(env, 'TOCSIN_RETENTION_DAYS') ?? 30,
    auditDays: take(env, 'TOCSIN_AUDIT_DAYS') ?? 365,
    rateLimit,
    accountRateLimit: take(env, 'TOCSIN_ACCOUNT_RATE_LIMIT') ?? 5 * rateLimit,
    accountLimits: take(env, 'TOCSIN_ACCOUNT_LIMITS') ?? defaultLimits,
    pingLimit: take(env, 'TOCSIN_PING_LIMIT') ?? 60,
    servesMqtt: take(env, 'TOCSIN_MQTT') !== 'off',
    probeThreads: take(env, 'TOCSIN_PROBE_THREADS') ?? Math.max(1, cores - 1),
    chromium: take(env, 'TOCSIN_CHROMIUM'),
    scriptsAtOnce: take(env, 'TOCSIN_SCRIPTS_AT_ONCE') ?? Math.max(1, cores),
    scriptMs: readScriptMs(env),
    scriptsWarm: take(env, 'TOCSIN_SCRIPTS_WARM') ?? 1,
    scriptsUncontained: take(env, 'TOCSIN_SCRIPTS_UNCONTAINED') === 'yes',
    serverTimeZone: serverTimeZone(),
    logLevel: take(env, 'LOG_LEVEL') ?? 'info',
    unknownVariables: unknownVariables(env),
  });
}

/**
 * Reads the settings of a command that talks to a server.
 * @throws {ConfigError} if `TOCSIN_CA_FILE` is invalid
 */
export function readClientConfig(env: Environment = process.env): ClientConfig {
  return clientConfigOf(env, take(env, 'TOCSIN_CA_FILE') ?? []);
}

/** A variable of the environment that a file of the command line names; undefined = it is not set. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}

/** The public URL of this server: as configured, otherwise from HOST and the port it listens on. */
export function publicUrlOf(config: Pick<Config, 'publicUrl' | 'host'>, port: number): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return `http://${hostAndPort(host, port)}`;
}

function readText(env: Environment, name: ConfigVariableName): string | null {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? null : text;
}

function take<N extends ConfigVariableName>(env: Environment, name: N): Value<N> | null {
  const text = readText(env, name);
  if (text === null) return null;
  const variable: ConfigVariable<unknown> = configVariables[name];
  let value: unknown;
  let why = '';
  try {
    value = variable.read(text);
  } catch (error) {
    why = `: ${errorMessage(error)}`;
  }
  if (value !== undefined) return value as Value<N>;
  throw new ConfigError(`${name}=${shown(variable, text)} is invalid${why}; use ${variable.right}`);
}

/** The value of a variable that another one requires. */
function needed<N extends ConfigVariableName>(env: Environment, name: N, other: ConfigVariableName): Value<N> {
  const value = take(env, name);
  if (value === null) throw new ConfigError(`${name} is not set; ${other} requires it`);
  return value;
}

function readMetrics(env: Environment, port: number, isPrivate: boolean): Config['metrics'] {
  const own = take(env, 'TOCSIN_METRICS_PORT');
  if (own !== null && own === port && own !== 0) {
    throw new ConfigError(
      `TOCSIN_METRICS_PORT=${own} is the same as PORT; use ${configVariables.TOCSIN_METRICS_PORT.right}`,
    );
  }
  const token = take(env, 'TOCSIN_METRICS_TOKEN');
  return { token, port: own, isClosed: token === null && own === null && !isPrivate };
}

function readBucket(env: Environment): PublishBucket | null {
  const region = take(env, 'TOCSIN_PUBLISH_BUCKET_REGION') ?? 'us-east-1';
  const names = ['TOCSIN_PUBLISH_BUCKET', 'TOCSIN_PUBLISH_BUCKET_KEY_ID', 'TOCSIN_PUBLISH_BUCKET_SECRET'] as const;
  const [set] = names.filter((name) => take(env, name) !== null);
  if (set === undefined) return null;
  const [url = '', keyId = '', secret = ''] = names.map((name) => needed(env, name, set));
  return { url, keyId, secret, region };
}

function readGateways(env: Environment): Gateways {
  const url = take(env, 'TOCSIN_SMTP_URL');
  const from = take(env, 'TOCSIN_MAIL_FROM');
  if (url !== null) needed(env, 'TOCSIN_MAIL_FROM', 'TOCSIN_SMTP_URL');
  if (from !== null) needed(env, 'TOCSIN_SMTP_URL', 'TOCSIN_MAIL_FROM');
  const startTls = take(env, 'TOCSIN_SMTP_STARTTLS');
  const accounts = Object.entries(take(env, 'TOCSIN_ACCOUNT_MAIL') ?? {});
  const without = accounts.find((entry) => entry[1].url === null)?.[0];
  if (url === null && without !== undefined) {
    throw new ConfigError(`TOCSIN_SMTP_URL is not set; TOCSIN_ACCOUNT_MAIL has no url for ${without}`);
  }
  return {
    smtp: url === null || from === null ? null : smtpOf(url, from, startTls),
    accountSmtp: Object.fromEntries(
      accounts.map(([id, own]) => [id, smtpOf(own.url ?? url ?? '', own.from, own.startTls ?? startTls)]),
    ),
    sms: telephoneOf(take(env, 'TOCSIN_SMS_URL'), take(env, 'TOCSIN_SMS_TEMPLATE')),
    call: telephoneOf(take(env, 'TOCSIN_CALL_URL'), take(env, 'TOCSIN_CALL_TEMPLATE')),
    pagerDutyUrl: take(env, 'TOCSIN_PAGERDUTY_URL'),
    opsgenieUrl: take(env, 'TOCSIN_OPSGENIE_URL'),
  };
}

function sendingLimits(env: Environment): SendingLimits {
  const telephone = take(env, 'TOCSIN_TELEPHONE_LIMIT') ?? 60;
  const status = take(env, 'TOCSIN_STATUS_MAIL_LIMIT') ?? 100_000;
  return { telephone, email: take(env, 'TOCSIN_MAIL_LIMIT') ?? 200, status };
}

function smtpOf(url: string, from: string, startTls: SmtpGateway['startTls'] | null): SmtpGateway {
  return { url, from, startTls: startTls ?? (isLoopbackHost(parseHost(url)) ? 'if-offered' : 'required') };
}

function telephoneOf(url: string | null, template: string | null): Gateways['sms'] {
  return url === null ? null : { url, template: template ?? '{"to":"{{NUMBER}}","text":"{{TEXT}}"}' };
}

function readScriptMs(env: Environment): Config['scriptMs'] {
  return {
    BROWSER: msOf(take(env, 'TOCSIN_BROWSER_SECONDS')) ?? browserLimits.wallClockMs,
    MULTI_STEP: msOf(take(env, 'TOCSIN_MULTI_STEP_SECONDS')) ?? programLimits.wallClockMs,
  };
}

function msOf(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

function readBootstrapUser(env: Environment): Config['bootstrapUser'] {
  const names = ['TOCSIN_BOOTSTRAP_EMAIL', 'TOCSIN_BOOTSTRAP_PASSWORD'] as const;
  if (names.every((name) => take(env, name) === null)) return null;
  const [email, password] = [needed(env, names[0], names[1]), needed(env, names[1], names[0])];
  // Common passwords are rejected when the user is created: that list is large.
  const problem = passwordProblem(password, email, false);
  if (problem !== null) throw new ConfigError(`TOCSIN_BOOTSTRAP_PASSWORD ${problem}`);
  return { email, password };
}

function readProvider(env: Environment, publicUrl: string | null): ProviderSettings | null {
  const issuer = take(env, 'TOCSIN_OIDC_ISSUER');
  const others = {
    name: take(env, 'TOCSIN_OIDC_NAME') ?? URL.parse(issuer ?? '')?.host ?? '',
    scopes: take(env, 'TOCSIN_OIDC_SCOPES') ?? [],
    domains: take(env, 'TOCSIN_OIDC_DOMAINS') ?? [],
    roles: take(env, 'TOCSIN_OIDC_ROLES') ?? {},
    isInvitedOnly: take(env, 'TOCSIN_OIDC_INVITED_ONLY') === 'yes',
  };
  if (issuer === null) {
    const set = Object.keys(providerVariables).find((name) => take(env, name as ConfigVariableName) !== null);
    if (set !== undefined) throw new ConfigError(`TOCSIN_OIDC_ISSUER is not set; ${set} requires it`);
    return null;
  }
  const clientId = needed(env, 'TOCSIN_OIDC_CLIENT_ID', 'TOCSIN_OIDC_ISSUER');
  const clientSecret = needed(env, 'TOCSIN_OIDC_CLIENT_SECRET', 'TOCSIN_OIDC_ISSUER');
  if (publicUrl === null) throw new ConfigError('TOCSIN_PUBLIC_URL is not set; TOCSIN_OIDC_ISSUER requires it');
  return { issuer, clientId, clientSecret, ...others };
}

function readSecretKey(env: Environment): string | null {
  const file = readText(env, 'TOCSIN_SECRET_KEY_FILE');
  if (file === null) return take(env, 'TOCSIN_SECRET_KEY');
  if (readText(env, 'TOCSIN_SECRET_KEY') !== null) {
    throw new ConfigError(
      `TOCSIN_SECRET_KEY_FILE=${JSON.stringify(file)} and TOCSIN_SECRET_KEY are both set; set only one of them`,
    );
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = errorMessage(error);
    throw new ConfigError(
      `TOCSIN_SECRET_KEY_FILE=${JSON.stringify(file)} cannot be read: ${why}; use ${configVariables.TOCSIN_SECRET_KEY_FILE.right}`,
    );
  }
  const key = configVariables.TOCSIN_SECRET_KEY.read(text.trim());
  if (key !== undefined) return key;
  throw new ConfigError(
    `TOCSIN_SECRET_KEY_FILE=${JSON.stringify(file)} does not contain ${configVariables.TOCSIN_SECRET_KEY.right}`,
  );
}

/** A value for an error message, on one line. Hides secrets, except their length, and passwords in URLs. */
function shown(variable: ConfigVariable<unknown>, text: string): string {
  if (variable.secret === true) return `(${text.length} characters, not shown)`;
  return JSON.stringify(text.replace(/(:\/\/[^/@:]*):.*@/s, '$1:…@'));
}

function parseHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** Whether only this machine can reach a server that listens on this host. */
export function isLoopbackHost(host: string): boolean {
  const plain = plainAddress(host);
  return plain === null ? /^(.+\.)?localhost\.?$/i.test(host) : addressClass(plain) === 'local';
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}

/** Node.js follows the machine, or the variable `TZ`; undefined if that is invalid. */
function serverTimeZone(): string {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone !== undefined && isZone(zone) ? zone : 'UTC';
}

/** Probably misspelled. */
function unknownVariables(env: Environment): string[] {
  const isKnown = (name: string): boolean => name in configVariables || clientVariables.includes(name);
  return Object.keys(env).filter(
    (name) => name.startsWith('TOCSIN_') && !name.startsWith(fileVariablePrefix) && !isKnown(name),
  );
}
