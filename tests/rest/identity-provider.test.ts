// Answers of the identity provider over HTTP: forged, replayed and misused ones, and a provider that fails.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Corp, operator, person, startCorp } from './identity-calls.ts';
import { bodyOf, cookieOf, ownPage } from './session-calls.ts';

let corp: Corp;
const cleanups: (() => void | Promise<void>)[] = [];
const later = { after: (work: () => void | Promise<void>) => void cleanups.push(work) };

before(async () => {
  corp = await startCorp(later);
});
after(async () => {
  for (const work of cleanups.toReversed()) await work();
});

describe('an answer of the provider', () => {
  test('counts once, only in the browser that asked for it, and only for what it was asked for', async () => {
    corp.provider.person = person('careful', { groups: ['dev'] });
    const [first, other] = [await corp.begin(), await corp.begin()];
    for (const wrong of [
      { ...first, cookie: other.cookie },
      { ...first, cookie: '' },
      { ...first, cookie: `${first.cookie}x` },
      { ...first, answer: first.answer.replace(/state=[^&]*/, 'state=x') },
      { ...first, answer: first.answer.replace(/&state=[^&]*/, '') },
      { ...first, answer: '' },
    ]) {
      assert.equal((await corp.finish(wrong)).status, 409);
    }
    const exchanges = () => corp.provider.asked.filter((each) => each === 'POST /token').length;
    const before = exchanges();
    assert.equal(
      (await corp.finish({ ...first, answer: first.answer.replace(/code=[^&]*/, 'code=guess') })).status,
      409,
    );
    assert.equal(
      (await corp.finish({ ...first, answer: first.answer.replace(/iss=[^&]*/, 'iss=https://evil.org') })).status,
      503,
    );
    assert.equal(exchanges() - before, 1, 'an answer of another provider is not exchanged');
    assert.equal((await corp.finish(first)).status, 201);
    assert.equal((await corp.finish(first)).status, 409, 'a replay');

    const headers = await corp.join('purpose@corp.example');
    const asked = await corp.beginConnection(headers);
    assert.equal((await corp.finish(asked)).status, 409, 'a connection does not sign in');
    const cookie = `${headers['cookie']}; ${other.cookie}`;
    const misused = await corp.ask('PUT', '/v1/me/identity', { ...headers, cookie }, { answer: other.answer });
    assert.equal(misused.status, 409, 'a sign-in does not connect');
    const session = cookieOf(await corp.withPassword('purpose@corp.example'));
    const borrowed = { ...session, cookie: `${session['cookie']}; ${asked.cookie}` };
    assert.equal(
      (await corp.ask('PUT', '/v1/me/identity', borrowed, { answer: asked.answer })).status,
      409,
      'another session',
    );
  });

  test('is taken only from pages of the public address', async () => {
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.org' };
    assert.equal((await corp.ask('POST', '/v1/provider-sign-ins', foreign)).status, 403);
    const otherName = { ...ownPage, origin: corp.on.address.replace('127.0.0.1', 'localhost') };
    const refused = await corp.ask('POST', '/v1/provider-sign-ins', otherName);
    assert.deepEqual([refused.status, bodyOf(refused).message.includes(`only at ${corp.on.address}`)], [409, true]);
    assert.equal(
      (await corp.ask('POST', '/v1/provider-sign-ins', { ...ownPage, origin: corp.on.address })).status,
      201,
    );
    corp.provider.person = person('careful', { groups: ['dev'] });
    const { cookie, answer } = await corp.begin();
    const posted = await corp.ask('POST', '/v1/provider-sign-ins/finish', { ...foreign, cookie }, { answer });
    assert.deepEqual([posted.status, posted.headers['set-cookie']], [403, undefined]);
  });
});

describe('a provider that fails', () => {
  test('is named, the log says why without secrets, and passwords still work', async () => {
    corp.provider.person = null;
    const denied = await corp.finish(await corp.begin());
    assert.deepEqual([denied.status, /did not sign you in \(access_denied\)/.test(denied.text)], [403, true]);
    corp.provider.person = person('careful', { groups: ['dev'] });
    const visited = await corp.begin();
    corp.provider.isBroken = true;
    try {
      const broken = await corp.finish(visited);
      assert.deepEqual([broken.status, /Corp SSO cannot be reached/.test(broken.text)], [503, true]);
      assert.equal((await corp.withPassword(operator.email, operator.password)).status, 201);
    } finally {
      corp.provider.isBroken = false;
    }
    const failures = corp.on.logged.filter(({ name }) => name === 'identity-provider.failed');
    assert.equal(failures.at(-1)?.level, 'warn');
    assert.doesNotMatch(JSON.stringify(corp.on.logged), /canary/);
  });

  test('is not read to the end if its answer is large', async (t) => {
    const flood = await startCorp(t, {}, (provider) => (provider.floodBytes = 2_000_000));
    const refused = await flood.ask('POST', '/v1/provider-sign-ins', ownPage);
    assert.deepEqual([refused.status, /did not answer as expected/.test(refused.text)], [503, true]);
    const failed = flood.on.logged.find(({ name }) => name === 'identity-provider.failed');
    assert.match(JSON.stringify(failed), /more than 1000000 bytes/);
  });

  test('is asked 300 times in five minutes for an address, which keeps nobody from using a password', async (t) => {
    const busy = await startCorp(t);
    const begin = () => busy.ask('POST', '/v1/provider-sign-ins', { ...ownPage, origin: 'http://other.test' });
    for (let count = 0; count < 300; count++) assert.equal((await begin()).status, 409);
    assert.equal((await begin()).status, 429);
    const session = await busy.join('ann@corp.example');
    assert.equal((await busy.connect(session, { cookie: '', answer: '?state=x' })).status, 429);
    assert.equal((await busy.withPassword(operator.email, operator.password)).status, 201);
  });

  test('is found again without a restart', async (t) => {
    const fresh = await startCorp(t, {}, (provider) => (provider.isBroken = true));
    const begin = () => fresh.ask('POST', '/v1/provider-sign-ins', ownPage);
    assert.equal(bodyOf(await fresh.ask('GET', '/v1/setup')).provider, 'Corp SSO');
    assert.equal(fresh.provider.asked.length, 0, 'the start does not ask');
    const away = await begin();
    assert.deepEqual([away.status, /cannot be reached/.test(away.text)], [503, true]);
    fresh.provider.isBroken = false;
    assert.equal((await begin()).status, 201);
    const found = fresh.provider.asked.length;
    assert.equal((await begin()).status, 201);
    assert.equal(fresh.provider.asked.length, found, 'what was found is remembered');
  });
});
