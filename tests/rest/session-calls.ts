// Requests of people who sign in, and what the answers set.
import assert from 'node:assert/strict';
import type { Composed } from '../support/service/composed.ts';
import { type Answer, send } from './operation-calls.ts';

export type Headers = Readonly<Record<string, string>>;

/** Sent by a page of this origin. */
export const ownPage: Headers = { 'sec-fetch-site': 'same-origin' };

export function askAt(
  { port }: Composed,
  method: string,
  path: string,
  headers: Headers = {},
  body: object = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/json' };
  return send(port, { method, path, headers: { ...type, ...headers }, body: JSON.stringify(body) });
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
export const bodyOf = (answer: Answer): any => JSON.parse(answer.text);

/** The session cookie that an answer sets, as the headers of a page of this origin. */
export function cookieOf(answer: Answer): Headers {
  assert.equal(answer.status, 201, answer.text);
  const [cookie] = answer.headers['set-cookie'] ?? [];
  return { ...ownPage, cookie: cookie?.split(';', 1)[0] ?? '' };
}
