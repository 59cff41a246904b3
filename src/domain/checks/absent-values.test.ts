// Assertions on absent values: what is new fails, what an older version saved keeps its meaning until it is changed.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '../json.ts';
import { passesIfAbsent, settingsWithMeaning, settingsWithShownMeaning, upgradedSettings } from './absent-values.ts';

const plain = { source: 'JSON_BODY', comparison: 'NOT_EQUALS', property: '$.state', target: 'broken', regex: null };
const other = { ...plain, property: '$.other' };
const equals = { ...plain, comparison: 'EQUALS' };
const strict = { passesIfAbsent: false };

function settings(...assertions: JsonObject[]): JsonObject {
  return { maxResponseTime: 5, request: { url: 'https://shop.example', assertions } };
}

test('new assertions fail for absent values; unchanged older ones keep passing', () => {
  assert.deepEqual(settingsWithMeaning(settings(plain, equals), {}), settings({ ...plain, ...strict }, equals));
  const older = settings(plain);
  assert.deepEqual(settingsWithMeaning(settings(plain), older), older);
  assert.deepEqual(settingsWithMeaning(settings({ ...plain, passesIfAbsent: true }, other), older), {
    ...settings(plain, { ...other, ...strict }),
  });
  const changed = { ...plain, target: 'down' };
  assert.deepEqual(settingsWithMeaning(settings(changed), older), settings({ ...changed, ...strict }));
});

test('the older meaning cannot be requested for a new assertion, but given up for an older one', () => {
  assert.deepEqual(
    settingsWithMeaning(settings({ ...plain, passesIfAbsent: true }), {}),
    settings({ ...plain, ...strict }),
  );
  assert.deepEqual(
    settingsWithMeaning(settings({ ...plain, ...strict }), settings(plain)),
    settings({ ...plain, ...strict }),
  );
  assert.deepEqual(
    settingsWithMeaning(settings(plain), settings({ ...plain, ...strict })),
    settings({ ...plain, ...strict }),
  );
});

test('an upgrade gives up the older meaning of all assertions, wherever a kind has them', () => {
  const ofSsl = { assertions: [plain], sslConfig: { hostname: 'shop.example' } };
  assert.deepEqual(upgradedSettings(ofSsl), { ...ofSsl, assertions: [{ ...plain, ...strict }] });
  assert.deepEqual(upgradedSettings(settings(plain, equals)), settings({ ...plain, ...strict }, equals));
});

test('responses name the older meaning only if the value can be absent', () => {
  const all = settings(plain, { ...other, ...strict }, equals);
  assert.deepEqual(settingsWithShownMeaning(all), settings({ ...plain, passesIfAbsent: true }, other, equals));
  const passes = (source: string, comparison: string, property: string, regex = ''): boolean =>
    passesIfAbsent({ source, comparison, property, regex });
  assert.equal(passes('TEXT_BODY', 'NOT_CONTAINS', ''), false);
  assert.equal(passes('TEXT_BODY', 'NOT_CONTAINS', '', 'v=(.*)'), true);
  assert.equal(passes('STATUS_CODE', 'NOT_EQUALS', ''), false);
  assert.equal(passes('HEADERS', 'NOT_HAS_KEY', 'x-debug'), false);
  assert.equal(passes('HEADERS', 'NOT_CONTAINS', 'x-debug'), true);
  assert.equal(passes('JSON_BODY', 'NOT_HAS_KEY', '$'), false);
  assert.equal(passes('JSON_BODY', 'NOT_HAS_KEY', '$.user'), true);
  assert.equal(passes('JSON_BODY', 'NOT_EQUALS', '$.list[*].status'), false);
  assert.equal(passes('JSON_BODY', 'NOT_EQUALS', 'count($.list)'), false);
  assert.equal(passes('CERTIFICATE', 'NOT_EQUALS', 'issuerFingerprintSha256'), true);
});
