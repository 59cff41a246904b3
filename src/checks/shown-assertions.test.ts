// Assertions evaluated on displayed results end as in runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpEvidence } from './parts/show.ts';
import { evaluateShown } from './shown-assertions.ts';
import type { ObservedValues } from './show.ts';

const format = { milliseconds: String, bytes: String, day: String };

const response = {
  status: 201,
  statusText: 'Created',
  headers: { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] },
  body: '{"id":12345678901234567890,"stock":{"lamp":7}}',
  truncated: false,
  timings: null,
  timingPhases: null,
};

function observedIn(changes: Partial<typeof response> & { readonly bodyEncoding?: string } = {}): ObservedValues {
  const part = {
    assertions: [],
    request: null,
    response: { ...response, ...changes },
    requestError: null,
    address: null,
    protocol: null,
    sizes: { headers: 0, body: 0, decoded: 0 },
    redirects: [],
  };
  return httpEvidence(part, format).observed ?? assert.fail('a response has values');
}

function outcomeOf(
  source: string,
  comparison: string,
  target: string,
  { property = '', regex = null as string | null, observed = observedIn() } = {},
) {
  const [outcome] = evaluateShown([{ source, comparison, property, target, regex }], observed);
  return outcome;
}

test('values of a response are compared as in a run', () => {
  assert.deepEqual(outcomeOf('STATUS_CODE', 'EQUALS', '201'), { passed: true, message: 'status code equals 201' });
  assert.deepEqual(outcomeOf('JSON_BODY', 'EQUALS', '8', { property: '$.stock.lamp' }), {
    passed: false,
    message: 'expected $.stock.lamp to equal 8, got 7',
  });
  assert.equal(outcomeOf('JSON_BODY', 'EQUALS', '12345678901234567890', { property: '$.id' })?.passed, true);
  assert.equal(outcomeOf('HEADERS', 'CONTAINS', 'b=2', { property: 'Set-Cookie' })?.passed, true);
  assert.equal(outcomeOf('TEXT_BODY', 'EQUALS', '7', { regex: '"lamp":(\\d+)' })?.passed, true);
  assert.equal(outcomeOf('JSON_BODY', 'NOT_EQUALS', '1', { property: '$.other' })?.passed, false, 'it does not exist');
});

test('an assertion that is not valid says why', () => {
  const invalid = outcomeOf('JSON_BODY', 'EQUALS', '1', { property: '$.[' });
  assert.equal(invalid?.passed, false);
  assert.match(invalid?.message ?? '', /is not a JSON path/);
});

test('what only a run can tell is unknown', () => {
  const unknown = (outcome: ReturnType<typeof outcomeOf>) => assert.equal(outcome?.passed, null, outcome?.message);
  unknown(outcomeOf('RESPONSE_TIME', 'LESS_THAN', '100'));
  unknown(outcomeOf('TEXT_BODY', 'CONTAINS', '{{WORD}}'));
  unknown(outcomeOf('TEXT_BODY', 'CONTAINS', 'a', { observed: observedIn({ truncated: true }) }));
  unknown(outcomeOf('TEXT_BODY', 'CONTAINS', 'a', { observed: observedIn({ bodyEncoding: 'base64' }) }));
  unknown(outcomeOf('TEXT_BODY', 'NOT_CONTAINS', 'a', { observed: observedIn({ body: 'token ********' }) }));
});
