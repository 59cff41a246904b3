// Reads the account of an API key of Checkly, page by page and within bounds.
import { readClientConfig } from '#config/config.ts';
import { type SectionName, sections } from '#contract/projects/resource-file.ts';
import type { ChecklyAccount } from '#importers/checkly/import-checkly.ts';
import { type Foreign, isForeign, jsonOf, objectOf, objectsOf, textOf } from '#importers/values.ts';
import { CommandError } from '../../exits.ts';
import { oneLine } from '../../terminal-text.ts';
import { checkedUrl, trust } from '../connect.ts';
import { note } from '../output.ts';
import { patientFetch, unreachableText } from '../patient-fetch.ts';

/** The API of Checkly. */
export const checklyUrl = 'https://api.checklyhq.com';

/** Lists that are imported. */
const paths: Readonly<Partial<Record<SectionName, string>>> = {
  variables: '/v1/variables',
  privateLocations: '/v1/private-locations',
  snippets: '/v1/snippets',
  alertChannels: '/v1/alert-channels',
  checkGroups: '/v1/check-groups',
  checks: '/v1/checks',
  maintenanceWindows: '/v1/maintenance-windows',
};

/** Lists of what Tocsin does not have, or cannot be given. Absent ones are empty. */
const otherPaths: Readonly<Record<string, string>> = {
  dashboard: '/v1/dashboards',
  'status page': '/v1/status-pages',
  'client certificate': '/v1/client-certificates',
};

const pageSize = 100;
/** Most resources of a list: a declaration cannot hold more. */
const mostItems = 20_000;
/** Most levels of a response. */
const deepest = 50;
/** Most bytes of all responses. */
const mostBytes = 64 * 1_048_576;
/** Longest wait for one response, with its waits for a rate limit, ms. */
const longestMs = 400_000;

/** A response. */
interface Page {
  readonly status: number;
  /** null = it is not JSON. */
  readonly value: unknown;
  readonly total: number | null;
}

type ReadPage = (path: string, page: number | null) => Promise<Page>;

/**
 * Reads everything that is imported.
 * @param given values of `--url` and `--account`
 * @throws {CommandError} if there is no key, or no usable response
 */
export async function readChecklyAccount(given: {
  readonly url?: string;
  readonly account?: string;
}): Promise<ChecklyAccount> {
  const { checkly, caCertificates } = readClientConfig();
  const url = checkedUrl(given.url ?? checklyUrl);
  const { apiKey } = checkly;
  if (apiKey === null) throw new CommandError('set CHECKLY_API_KEY to an API key of Checkly, and CHECKLY_ACCOUNT_ID');
  trust(caCertificates);
  const readPage = pageReader(url, apiKey, given.account ?? checkly.accountId);
  const lists: Partial<Record<SectionName, readonly Foreign[]>> = {};
  for (const { name } of sections) {
    const path = paths[name];
    // This list is not paged.
    const isWhole = name === 'privateLocations';
    if (path !== undefined) lists[name] = await readList(readPage, path, isWhole);
  }
  const others: Foreign[] = [];
  for (const [kind, path] of Object.entries(otherPaths)) {
    others.push(...(await readOthers(readPage, path)).map((each) => ({ ...each, kind })));
  }
  return { ...lists, others };
}

async function readList(readPage: ReadPage, path: string, isWhole: boolean): Promise<readonly Foreign[]> {
  const all: Foreign[] = [];
  for (let page = 1; ; page += 1) {
    const { status, value, total } = await readPage(path, isWhole ? null : page);
    if (status > 299) throw new CommandError(`${path} answered ${refusalText(status, value)}`);
    if (!Array.isArray(value) || !value.every(isForeign)) {
      throw new CommandError(`this is not the API of Checkly: ${path} is not a list. Check the URL`);
    }
    if (all.length + value.length > mostItems) throw new CommandError(`${path} has more than ${mostItems} items`);
    all.push(...value);
    const isEnd = value.length === 0 || (total === null ? value.length < pageSize : all.length >= total);
    if (isWhole || isEnd) return all;
  }
}

/** The first page, which is named and not imported. A plan, a role or a server may not have the list. */
async function readOthers(readPage: ReadPage, path: string): Promise<readonly Foreign[]> {
  const { status, value } = await readPage(path, 1);
  if (status === 404) return [];
  if (status > 299) return [{ name: path, unreadable: refusalText(status, value) }];
  return objectsOf(Array.isArray(value) ? value : objectOf(value)['entries']).slice(0, pageSize);
}

function refusalText(status: number, value: unknown): string {
  return oneLine(`${status} ${textOf(objectOf(value)['message'])}`.trim()).slice(0, 300);
}

function pageReader(url: string, apiKey: string, accountId: string | null): ReadPage {
  const request = patientFetch(
    {
      url,
      keySource: 'CHECKLY_API_KEY',
      keyHint: 'Create one in the settings of your user, and set CHECKLY_ACCOUNT_ID to the ID of the account.',
    },
    note,
  );
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    ...(accountId !== null && { 'x-checkly-account': accountId }),
  };
  const bytes = { left: mostBytes };
  return async (path, page) => {
    const query = page === null ? '' : `?limit=${pageSize}&page=${page}`;
    const { response, text } = await received(url, async (signal) => {
      const response = await request(`${url}${path}${query}`, { headers, signal });
      return { response, text: await textWithin(response, bytes) };
    });
    const value = jsonOf(text);
    if (isDeeper(value, deepest)) throw new CommandError(`${path} is nested more than ${deepest} levels deep`);
    const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
    return { status: response.status, value, total: total === undefined ? null : Number(total) };
  };
}

/** A whole response, or the reason why there is none. */
async function received<Value>(url: string, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const signal = AbortSignal.timeout(longestMs);
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (signal.aborted) throw new CommandError(`${url} did not respond completely within ${longestMs / 1000} s`);
    throw new CommandError(unreachableText(url, error));
  }
}

/** The body, as long as the responses together are not too large. */
async function textWithin(response: Response, bytes: { left: number }): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    bytes.left -= chunk.length;
    if (bytes.left < 0) throw new CommandError(`the account has more than ${mostBytes / 1_048_576} MB of settings`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
