// Environment → frozen Config; the only reader of process.env (design §6, docs/configuration.md).
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  clientVariables,
  type ConfigVariable,
  configVariables,
  type ConfigVariableName,
  type DatabaseUrl,
  type LogLevel,
  defaultLimits,
  type Role,
} from './variables.ts';
import { browserLimits, programLimits } from '#domain/checks/script-limits.ts';
import type { AccountLimits } from '#domain/accounts/account.ts';
import { addressClass, plainAddress } from '#egress/address-class.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';

/** What this process is told from outside, checked and complete. Paths are absolute. */
export interface Config {
  readonly host: string;
  /** 0 = a free one, chosen by the system. */
  readonly port: number;
  readonly dataDir: string;
  readonly database: DatabaseUrl;
  /** Where wake-ups are listened for: null = where the database is; `off` = nowhere. */
  readonly listen: PostgresAddress | 'off' | null;
  readonly roles: readonly Role[];
  /** As set, without a slash at its end; null = derived from the address listened on (`publicUrlOf`). */
  readonly publicUrl: string | null;
  /** null = make one and print it once. A secret. */
  readonly bootstrapApiKey: string | null;
  /** null = random. */
  readonly bootstrapAccountId: string | null;
  /** 64 lower-case hex digits; null = kept in a file of the data folder. A secret. */
  readonly secretKey: string | null;
  readonly egress: Required<Pick<EgressPolicy, 'mode' | 'allow' | 'proxy'>>;
  /** What `/metrics` asks for. */
  readonly metrics: {
    /** A secret; null = none. */
    readonly token: string | null;
    /** Of a listener of its own; null = none, 0 = a free one. */
    readonly port: number | null;
    /** Whether metrics are refused because neither is set and the server can be reached from elsewhere. */
    readonly isClosed: boolean;
  };
  /** CA certificates (PEM) to be trusted besides those of Node.js. */
  readonly caCertificates: readonly string[];
  readonly location: { readonly code: string; readonly name: string };
  /** Whether it starts with deliveries held. */
  readonly holdsDeliveries: boolean;
  readonly retentionDays: number;
  /** Requests a minute and key; 0 = no limit. */
  readonly rateLimit: number;
  /** Requests a minute and account, by all of its keys; 0 = no limit. */
  readonly accountRateLimit: number;
  /** How many of each resource an account may have, unless an operator set other limits for it; 0 or absent = no limit. */
  readonly accountLimits: AccountLimits;
  /** Calls a minute, ping address and sort; 0 = no limit, else at least 60. */
  readonly pingLimit: number;
  readonly probeThreads: number;
  /** A program; null = whichever is found. */
  readonly chromium: string | null;
  /** Scripts of one type of check that run at once. */
  readonly scriptsAtOnce: number;
  /** How long a run of a script may take, by its type of check, ms. */
  readonly scriptMs: Readonly<Record<'BROWSER' | 'MULTI_STEP', number>>;
  /** Processes that wait for the next script; 0 = none. */
  readonly scriptsWarm: number;
  /** Whether scripts may run where nothing contains them. */
  readonly scriptsUncontained: boolean;
  readonly logLevel: LogLevel;
  /** Names that start with TOCSIN_ and mean nothing here, to be warned about: probably a slip of the pen. */
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
 *
 * @param env the environment; that of this process unless told otherwise
 * @param cores processors this process may use, for the default of TOCSIN_PROBE_THREADS
 * @throws {ConfigError} at the first value that is wrong
 */
export function readConfig(env: Environment = process.env, cores: number = availableParallelism()): Config {
  const host = take(env, 'HOST') ?? '127.0.0.1';
  const dataDir = take(env, 'TOCSIN_DATA_DIR') ?? resolve('data');
  const port = take(env, 'PORT') ?? 3000;
  const rateLimit = take(env, 'TOCSIN_RATE_LIMIT') ?? 600;
  const publicUrl = take(env, 'TOCSIN_PUBLIC_URL');
  const isPrivate = isLoopbackHost(host) && (publicUrl === null || isLoopbackHost(hostOf(publicUrl)));
  return deepFreeze({
    host,
    port,
    dataDir,
    database: take(env, 'DATABASE_URL') ?? { kind: 'sqlite', path: join(dataDir, 'tocsin.db') },
    listen: take(env, 'TOCSIN_LISTEN_URL'),
    roles: take(env, 'TOCSIN_ROLES') ?? configVariables.TOCSIN_ROLES.read('all') ?? [],
    publicUrl,
    bootstrapApiKey: take(env, 'TOCSIN_BOOTSTRAP_API_KEY'),
    bootstrapAccountId: take(env, 'TOCSIN_BOOTSTRAP_ACCOUNT_ID'),
    secretKey: secretKeyOf(env),
    egress: {
      mode: take(env, 'TOCSIN_EGRESS') ?? (isPrivate ? 'any' : 'public'),
      allow: take(env, 'TOCSIN_EGRESS_ALLOW') ?? [],
      proxy: take(env, 'TOCSIN_PROXY'),
    },
    metrics: metricsOf(env, port, isPrivate),
    caCertificates: take(env, 'TOCSIN_CA_FILE') ?? [],
    location: take(env, 'TOCSIN_LOCATION') ?? { code: 'local', name: 'Local' },
    holdsDeliveries: take(env, 'TOCSIN_DELIVERIES') === 'held',
    retentionDays: take(env, 'TOCSIN_RETENTION_DAYS') ?? 30,
    rateLimit,
    accountRateLimit: take(env, 'TOCSIN_ACCOUNT_RATE_LIMIT') ?? 5 * rateLimit,
    accountLimits: take(env, 'TOCSIN_ACCOUNT_LIMITS') ?? defaultLimits,
    pingLimit: take(env, 'TOCSIN_PING_LIMIT') ?? 60,
    probeThreads: take(env, 'TOCSIN_PROBE_THREADS') ?? Math.max(1, cores - 1),
    chromium: take(env, 'TOCSIN_CHROMIUM'),
    scriptsAtOnce: take(env, 'TOCSIN_SCRIPTS_AT_ONCE') ?? Math.max(1, cores),
    scriptMs: {
      BROWSER: msOf(take(env, 'TOCSIN_BROWSER_SECONDS')) ?? browserLimits.wallClockMs,
      MULTI_STEP: msOf(take(env, 'TOCSIN_MULTI_STEP_SECONDS')) ?? programLimits.wallClockMs,
    },
    scriptsWarm: take(env, 'TOCSIN_SCRIPTS_WARM') ?? 1,
    scriptsUncontained: take(env, 'TOCSIN_SCRIPTS_UNCONTAINED') === 'yes',
    logLevel: take(env, 'LOG_LEVEL') ?? 'info',
    unknownVariables: Object.keys(env).filter(
      (name) => name.startsWith('TOCSIN_') && !(name in configVariables) && !clientVariables.includes(name),
    ),
  });
}

/** The address people reach this server under: as configured, else that of HOST and the port it listens on. */
export function publicUrlOf(config: Pick<Config, 'publicUrl' | 'host'>, port: number): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function textOf(env: Environment, name: ConfigVariableName): string | null {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? null : text;
}

function take<N extends ConfigVariableName>(env: Environment, name: N): Value<N> | null {
  const text = textOf(env, name);
  if (text === null) return null;
  const variable: ConfigVariable<unknown> = configVariables[name];
  let value: unknown;
  let why = '';
  try {
    value = variable.read(text);
  } catch (error) {
    why = `: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (value !== undefined) return value as Value<N>;
  throw new ConfigError(`${name}=${shown(variable, text)} is invalid${why}; use ${variable.right}`);
}

function metricsOf(env: Environment, port: number, isPrivate: boolean): Config['metrics'] {
  const own = take(env, 'TOCSIN_METRICS_PORT');
  if (own !== null && own === port && own !== 0) {
    throw new ConfigError(
      `TOCSIN_METRICS_PORT=${own} is the same as PORT; use ${configVariables.TOCSIN_METRICS_PORT.right}`,
    );
  }
  const token = take(env, 'TOCSIN_METRICS_TOKEN');
  return { token, port: own, isClosed: token === null && own === null && !isPrivate };
}

function msOf(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

function secretKeyOf(env: Environment): string | null {
  const file = textOf(env, 'TOCSIN_SECRET_KEY_FILE');
  if (file === null) return take(env, 'TOCSIN_SECRET_KEY');
  if (textOf(env, 'TOCSIN_SECRET_KEY') !== null) {
    throw new ConfigError(
      `TOCSIN_SECRET_KEY_FILE=${JSON.stringify(file)} and TOCSIN_SECRET_KEY are both set; set only one of them`,
    );
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
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

/** The value as an error may show it, on one line: a secret only by its length, a password in a URL not at all. */
function shown(variable: ConfigVariable<unknown>, text: string): string {
  if (variable.secret === true) return `(${text.length} characters, not shown)`;
  return JSON.stringify(text.replace(/(:\/\/[^/@:]*):.*@/s, '$1:…@'));
}

function hostOf(url: string): string {
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
