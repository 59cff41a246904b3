// The API of Checkly as far as imports read it: paged lists of a made-up account, behind a key.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Cleanup } from '../targets/scripted-server.ts';

/** Lists by path. One that is not paged by numbers is an object. */
export type ChecklyLists = Readonly<Record<string, readonly object[] | Readonly<Record<string, unknown>>>>;

/** The made-up account. */
export const checklySample: ChecklyLists = JSON.parse(
  readFileSync(join(import.meta.dirname, 'checkly.json'), 'utf8'),
) as ChecklyLists;

/** Secrets of the made-up account, which the API does not return. */
export const checklySecrets = {
  CHECKLY_SECRET_TOKEN: 'hush',
  CHECKLY_SECRET_WEB_SHOP_GROUP_TOKEN: 'hush',
  CHECKLY_SECRET_ON_CALL_API_KEY: 'hush',
};

export interface ChecklyApi {
  readonly url: string;
  /** Paths with queries, in the order of the requests. */
  readonly requests: readonly string[];
}

export const checklyKey = 'cu_made_up';
export const checklyAccount = '6d4b8a1c-2f63-4a0e-9d53-5a1f0c7be001';

/**
 * Starts the API.
 * @param override answers a request in its place; false = does not
 */
export async function startChecklyApi(
  t: Cleanup,
  lists: ChecklyLists = checklySample,
  override: (response: ServerResponse, path: string, before: number) => boolean = () => false,
): Promise<ChecklyApi> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    if (override(response, path, requests.length - 1)) return;
    answer(request, response, lists);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function answer({ headers, url = '' }: IncomingMessage, response: ServerResponse, lists: ChecklyLists): void {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const json = (status: number, body: unknown, more: Record<string, string> = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
  if (headers.authorization !== `Bearer ${checklyKey}` || headers['x-checkly-account'] !== checklyAccount) {
    json(401, { statusCode: 401, error: 'Unauthorized', message: 'Bad Token' });
    return;
  }
  const list = lists[pathname];
  if (list === undefined) {
    json(404, { statusCode: 404, error: 'Not Found', message: 'Not Found' });
    return;
  }
  if (!Array.isArray(list)) {
    json(200, list);
    return;
  }
  if (!searchParams.has('limit')) {
    json(200, pathname === '/v1/private-locations' ? list : list.slice(0, 10));
    return;
  }
  const limit = Math.min(100, Number(searchParams.get('limit')));
  const from = limit * (Number(searchParams.get('page')) - 1);
  const page = list.slice(from, from + limit);
  json(200, page, { 'content-range': `${from}-${from + page.length}/${list.length}` });
}
