// Connects a command to a server: profile or environment, typed client, one-line errors.
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readClientConfig } from '#config/config.ts';
import type { ClientConfig } from '#config/client-config.ts';
import { type Client, ServiceError } from '#contract/caller.ts';
import { createClient } from '#contract/client.ts';
import { suggestion } from '#lib/nearest.ts';
import { commandName } from '#lib/package-files.ts';
import { CommandError } from '../exits.ts';
import { oneLine, withoutControls } from '../terminal-text.ts';
import { note } from './output.ts';
import { patientFetch } from './patient-fetch.ts';
import { defaultProfile, readProfiles } from './profiles.ts';

/** Where a command finds its server, and with which key. */
export interface Target {
  /** Without a trailing slash. */
  readonly url: string;
  /** A secret. */
  readonly key: string;
  /** null = the default account of the key. */
  readonly accountId: string | null;
  /** For messages about the key: `profile "default"` or `TOCSIN_API_KEY`. */
  readonly keySource: string;
}

/** A server as commands use it. */
export interface Connection extends Target {
  /** Throws ServerRefusal for an error response, and CommandError if there is no usable response. */
  readonly client: Client;
}

/** An error response of the server. The message is for people, with the invalid fields. */
export class ServerRefusal extends CommandError {
  readonly statusCode: number;
  readonly attributes: Readonly<Record<string, unknown>>;

  constructor({ statusCode, message, attributes, requestId }: ServiceError) {
    const fields =
      statusCode === 400
        ? Object.entries(attributes).map(([path, why]) => `\n  ${oneLine(path)}: ${oneLine(String(why))}`)
        : [];
    super(
      `${withoutControls(message)}${fields.join('')}${statusCode >= 500 ? ` (request ${requestId ?? 'without ID'})` : ''}`,
    );
    this.statusCode = statusCode;
    this.attributes = attributes;
  }
}

/**
 * Connects to the server of a profile or of the environment.
 * @param profile value of `--profile`, which overrides the environment; absent = the environment, then `default`
 * @param say prints a line for people while a command waits
 * @throws {CommandError} if no server is configured
 */
export function connect(
  { profile }: { readonly profile?: string | undefined } = {},
  say?: (line: string) => void,
): Connection {
  const config = readClientConfig();
  return connectTo(targetOf(config, profile ?? null), config, say);
}

/** Connects to a target that is known already. @param say prints a line for people while a command waits */
export function connectTo(
  target: Target,
  { caCertificates }: Pick<ClientConfig, 'caCertificates'>,
  say: (line: string) => void = note,
): Connection {
  trust(caCertificates);
  const client = createClient({
    baseUrl: target.url,
    apiKey: target.key,
    ...(target.accountId !== null && { accountId: target.accountId }),
    fetch: patientFetch(target, say),
  });
  return { ...target, client: explained(client, target.url) };
}

/** Trusts certificates (PEM) in addition to those of Node.js. */
export function trust(caCertificates: readonly string[]): void {
  if (caCertificates.length === 0) return;
  setDefaultCACertificates([...getCACertificates('default'), ...caCertificates]);
}

/**
 * Selects the server. The key of a profile is only sent to the server of that profile.
 * @param profile value of `--profile`; null = not given
 */
export function targetOf(config: ClientConfig, profile: string | null): Target {
  const profiles =
    config.apiKey === null || config.url === null || profile !== null ? readProfiles(config.profilesPath) : {};
  const name = profile ?? defaultProfile;
  const stored = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== null && stored === undefined) {
    throw new CommandError(
      `there is no profile "${profile}"${suggestion(profile, Object.keys(profiles))}: run ${commandName} login URL --profile ${profile}`,
    );
  }
  const found = (profile === null ? config.url : null) ?? stored?.url;
  if (found === undefined) {
    throw new CommandError(
      config.apiKey === null
        ? `no server is configured: run ${commandName} login URL, or set TOCSIN_URL and TOCSIN_API_KEY`
        : 'TOCSIN_URL is not set: set it to the address of the server, such as https://tocsin.example.com',
    );
  }
  const url = checkedUrl(found);
  const accountId = profile === null ? config.accountId : null;
  if (profile === null && config.apiKey !== null) {
    return { url, key: config.apiKey, accountId, keySource: 'TOCSIN_API_KEY' };
  }
  if (stored === undefined || stored.url !== url) {
    throw new CommandError(`TOCSIN_URL is ${url}, but there is no key for it: set TOCSIN_API_KEY, or unset TOCSIN_URL`);
  }
  return { url, key: stored.key, accountId: accountId ?? stored.accountId ?? null, keySource: `profile "${name}"` };
}

/** A base URL without a trailing slash. @throws {CommandError} if it is no http(s) URL */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const hint = URL.parse(`https://${text}`) === null || text.includes('://') ? '' : `; did you mean https://${text}?`;
    throw new CommandError(`${text} is not the URL of a server: use https://… or http://…${hint}`);
  }
  if (url.username !== '' || url.password !== '') throw new CommandError('the URL must not contain a user or password');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** The same client with errors for people. */
function explained(client: Client, url: string): Client {
  const explain = (error: unknown): never => {
    if (error instanceof SyntaxError) throw notTocsin(url, 'its response is not JSON');
    if (!(error instanceof ServiceError)) throw error;
    if (error.requestId === null) throw notTocsin(url, `it answered with ${error.message}`);
    throw new ServerRefusal(error);
  };
  return {
    call: (id, ...rest) => client.call(id, ...rest).catch(explain),
    callWithHeaders: (id, ...rest) => client.callWithHeaders(id, ...rest).catch(explain),
    page: (id, ...rest) => client.page(id, ...rest).catch(explain),
  };
}

function notTocsin(url: string, why: string): CommandError {
  return new CommandError(
    `${url} does not respond like a Tocsin server: ${why}. Check the URL and the proxies before it.`,
  );
}
