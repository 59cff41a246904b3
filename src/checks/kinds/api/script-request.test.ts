// Input and output of setup scripts: untouched parts stay templates, changed parts belong to the script.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { apiCheck, groupWith, inputOf, variable } from '../../../../tests/support/checks/api-check.ts';
import { isNoProbe, MissingVariable } from '../../parts/findings/judge.ts';
import { requestAfter, requestBefore, requestSeen, requestToSend, type RequestState } from './script-request.ts';

const variables = [variable('HOST', 'https://shop.example'), variable('KEY', 'hunter22', true), variable('N', '1')];

function before(request: JsonObject, defaults: JsonObject = {}): RequestState {
  return requestBefore(inputOf(apiCheck({ url: '{{HOST}}/a', ...request }), variables, groupWith(defaults)));
}

/** State after a script that makes a change. */
function after(state: RequestState, change: object, environment: Record<string, string> = {}): RequestState {
  const next = reported(state, change, environment);
  return typeof next === 'string' ? assert.fail(next) : next;
}

function reported(state: RequestState, change: object, environment: Record<string, string> = {}) {
  const request = { ...structuredClone(requestSeen(state)), ...change };
  return requestAfter(state, { request, environment });
}

/** The message returned in place of a request. */
function wordsOf(outcome: object | string): string {
  if (outcome instanceof MissingVariable) return outcome.message;
  return typeof outcome === 'string' ? outcome : assert.fail('there is no error');
}

function sent(state: RequestState) {
  const scripted = requestToSend(state);
  return isNoProbe(scripted) ? assert.fail(wordsOf(scripted)) : scripted;
}

describe('a setup script', () => {
  it('sees the request filled in, with group defaults and undefined placeholders', () => {
    const state = before(
      {
        method: 'post',
        url: '{{GROUP_BASE_URL}}/{{ID}}',
        headers: [{ key: 'x-key', value: ' {{KEY}} ', locked: true }],
        queryParameters: [
          { key: 'n', value: '{{N}}' },
          { key: 'n', value: '2' },
        ],
        bodyType: 'FORM',
        body: 'a={{HOST}}&b={{ID}}',
      },
      {
        url: '{{HOST}}/v1',
        headers: [
          { key: 'X-Key', value: 'group' },
          { key: 'x-team', value: 'shop' },
        ],
      },
    );
    assert.deepEqual(requestSeen(state), {
      method: 'POST',
      url: 'https://shop.example/v1/{{ID}}',
      headers: { 'x-team': 'shop', 'x-key': 'hunter22' },
      queryParameters: { n: ['1', '2'] },
      body: 'a=https%3A%2F%2Fshop.example&b={{ID}}',
    });
  });

  it('sets variables for the rest of the request, which stay secret', () => {
    const state = after(
      before({ url: '{{HOST}}/{{ID}}', headers: [{ key: 'x-key', value: '{{KEY}}' }], bodyType: 'RAW', body: '{{N}}' }),
      {},
      { ID: '7', KEY: 'fresh-secret', N: '2' },
    );
    const { url, headers, body, hidden } = sent(state);
    assert.deepEqual([url, headers, body], ['https://shop.example/7', [['x-key', 'fresh-secret']], '2']);
    assert.deepEqual(
      state.variables.find(({ key }) => key === 'KEY'),
      variable('KEY', 'fresh-secret', true),
    );
    assert.deepEqual(hidden, ['hunter22'], 'the previous value is a secret, too');
  });

  it('writes text that is sent unchanged, without filling in other variables', () => {
    const state = after(
      before({ bodyType: 'RAW', body: 'x' }),
      { url: 'https://other.example/{{ID}}', body: '{{KEY}} {{ID}}', headers: { 'x-came': 'from {{KEY}}' } },
      { ID: '7' },
    );
    const { url, headers, body } = sent(state);
    assert.deepEqual([url, body], ['https://other.example/7', '{{KEY}} 7']);
    assert.deepEqual(headers, [['x-came', 'from {{KEY}}']]);
  });

  it('adds, replaces and removes headers and parameters by name; headers are case-insensitive', () => {
    const state = after(
      before({
        headers: [
          { key: 'accept', value: 'text/plain' },
          { key: 'x-gone', value: '1' },
        ],
        queryParameters: [{ key: 'a', value: '1' }],
      }),
      { headers: { accept: 'text/plain', Accept: 'text/html', 'x-new': ['1', '2'] }, queryParameters: { b: '2' } },
    );
    const { headers, queryParameters } = sent(state);
    assert.deepEqual(headers, [
      ['Accept', 'text/html'],
      ['x-new', '1'],
      ['x-new', '2'],
    ]);
    assert.deepEqual(queryParameters, [['b', '2']]);
  });

  it('has values masked that it puts into credential headers', () => {
    const state = after(before({}), { headers: { authorization: 'Bearer fetched-token', 'x-plain': 'seen' } });
    assert.deepEqual(sent(state).hidden, ['Bearer fetched-token', 'fetched-token']);
  });

  it('passes its result to the next script', () => {
    const first = after(before({}), { url: 'https://shop.example/b' }, { TURN: '1' });
    assert.equal(requestSeen(first).url, 'https://shop.example/b');
    const second = after(first, { method: 'PUT', url: `${requestSeen(first).url}/{{TURN}}` }, { TURN: '2' });
    assert.deepEqual([sent(second).method, sent(second).url], ['PUT', 'https://shop.example/b/2']);
  });

  it('gets an error with the field name for an invalid result', () => {
    const state = before({});
    for (const [change, message] of [
      [{ method: 'BREW' }, /^request\.method must be one of GET, .*, not "BREW"/],
      [{ url: 7 }, /^request\.url must be a string, not 7/],
      [{ url: 'x'.repeat(9000) }, /^request\.url must have at most 8192 characters, not 9000/],
      [{ headers: [] }, /^request\.headers must be an object of strings/],
      [{ headers: { a: {} } }, /^request\.headers\["a"\] must be a string/],
      [{ headers: { 'no name': '1' } }, /^request\.headers: "no name" is not a header name/],
      [{ headers: { a: 'line\nline' } }, /^request\.headers: the value of header a contains a character/],
      [{ queryParameters: null }, /^request\.queryParameters must be an object/],
      [{ body: 'x'.repeat(600_000) }, /^request\.body must have at most 524288 characters, not 600000/],
    ] as const) {
      assert.match(wordsOf(reported(state, change)), message);
    }
    assert.match(wordsOf(requestAfter(state, null)), /request is no longer an object/);
    assert.match(
      wordsOf(reported(state, {}, { A: 'x'.repeat(70_000) })),
      /^the environment variable A must be a string of at most 65536/,
    );
  });

  it('sends no request if the URL is invalid or has an undefined variable', () => {
    assert.match(wordsOf(requestToSend(after(before({}), { url: 'ftp://x' }))), /"ftp:\/\/x" is not an absolute http/);
    assert.match(wordsOf(requestToSend(before({ url: '{{NOBODY}}/a' }))), /^request\.url uses \{\{NOBODY\}\}/);
    assert.match(wordsOf(requestToSend(after(before({}), { url: 'https://{{NOBODY}}/' }))), /\{\{NOBODY\}\}/);
    const headers = [{ key: 'a', value: '{{NOBODY}}' }];
    assert.match(wordsOf(requestToSend(before({ headers }))), /^request\.headers\[0\] uses \{\{NOBODY\}\}/);
  });
});
