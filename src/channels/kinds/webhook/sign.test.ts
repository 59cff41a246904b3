// Headers that identify a delivery: id, time, attempt and signature.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signatureHeaders } from './sign.ts';

const createdAt = 1_795_251_907_089;
const now = createdAt + 20_500;
const body = '{"text":"größer 🔥"}';
const base = { deliveryId: 'd-1', createdAt, attempt: 2, replayOf: null, body, previousSecret: null };

function headersOf(signing: Parameters<typeof signatureHeaders>[0]): Record<string, string> {
  return Object.fromEntries(signatureHeaders(signing, now));
}

test('every delivery has creation time, id and attempt number', () => {
  assert.deepEqual(headersOf({ ...base, secret: null }), {
    'x-service-timestamp': '1795251907089',
    'x-service-delivery-id': 'd-1',
    'x-service-attempt': '2',
  });
});

test('a replay names the original delivery', () => {
  assert.equal(headersOf({ ...base, replayOf: 'd-0', secret: null })['x-service-replay-of'], 'd-0');
});

test('the signature is the lower-case hex HMAC-SHA256 of the exact body', () => {
  const expected = createHmac('sha256', 'sécret').update(Buffer.from(body, 'utf8')).digest('hex');
  assert.equal(headersOf({ ...base, secret: 'sécret' })['x-service-signature'], expected);
});

test('without a body, the signature is that of the empty payload', () => {
  const expected = createHmac('sha256', 's').digest('hex');
  assert.equal(headersOf({ ...base, body: '', secret: 's' })['x-service-signature'], expected);
});

test('a Standard Webhooks receiver can verify id, timestamp and v1 signature', () => {
  const headers = headersOf({ ...base, secret: 'plain text' });
  assert.equal(headers['webhook-id'], 'd-1');
  assert.equal(headers['webhook-timestamp'], '1795251927');
  const expected = createHmac('sha256', 'plain text').update(`d-1.1795251927.${body}`).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
});

test('a whsec_ secret signs with its decoded bytes, any other with its text', () => {
  const key = Buffer.from('0123456789abcdef01234567');
  const secret = `whsec_${key.toString('base64')}`;
  const signed = (with_: string | Buffer): string =>
    `v1,${createHmac('sha256', with_).update(`d-1.1795251927.${body}`).digest('base64')}`;
  assert.equal(headersOf({ ...base, secret })['webhook-signature'], signed(key));
  assert.equal(headersOf({ ...base, secret: 'whsec_!' })['webhook-signature'], signed('whsec_!'));
  assert.equal(headersOf({ ...base, secret: 'whsec_' })['webhook-signature'], signed('whsec_'));
  assert.equal(
    headersOf({ ...base, secret })['x-service-signature'],
    createHmac('sha256', secret).update(body).digest('hex'),
  );
});

test('during a rotation the list has both signatures and the other header the new one', () => {
  const signed = (key: string): string =>
    `v1,${createHmac('sha256', key).update(`d-1.1795251927.${body}`).digest('base64')}`;
  const valid = headersOf({ ...base, secret: 'new', previousSecret: { secret: 'old', until: now + 1 } });
  assert.equal(valid['webhook-signature'], `${signed('new')} ${signed('old')}`);
  assert.equal(valid['x-service-signature'], createHmac('sha256', 'new').update(body).digest('hex'));
  const over = headersOf({ ...base, secret: 'new', previousSecret: { secret: 'old', until: now } });
  assert.equal(over['webhook-signature'], signed('new'));
});
