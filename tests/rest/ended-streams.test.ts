// An event stream ends at once when the person who opened it loses access.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { askAt, bodyOf, cookieOf, type Headers, ownPage } from './session-calls.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };
const password = 'another long password';

/** Opens a stream; resolves with what it sent once it has ended. */
async function openStream({ address }: Composed, headers: Headers): Promise<{ readonly ended: Promise<string> }> {
  const answer = await fetch(`${address}/v1/events`, { headers });
  assert.equal(answer.status, 200);
  return { ended: answer.text() };
}

/** Less than the 15 s after which a stream checks its access in any case. */
const within = { timeout: 14_000 };

test(
  'a stream ends at once with its session, with the membership, and with other sessions at a new password',
  within,
  async (t) => {
    const on = await startComposed(t, {
      TOCSIN_ROLES: 'api',
      TOCSIN_BOOTSTRAP_EMAIL: operator.email,
      TOCSIN_BOOTSTRAP_PASSWORD: operator.password,
    });
    const signIn = async (who: { email: string; password: string }): Promise<Headers> =>
      cookieOf(await askAt(on, 'POST', '/v1/sessions', ownPage, who));
    const owner = await signIn(operator);
    const invited = await askAt(on, 'POST', '/v1/invites', owner, { email: 'ada@example.com', role: 'read-only' });
    const token = String(bodyOf(invited).url).split('#')[1] ?? '';
    const joined = await askAt(on, 'POST', '/v1/invites/accept', ownPage, { token, password });
    const { id } = bodyOf(joined).user as { readonly id: string };
    const person = { email: 'ada@example.com', password };
    const sessions = { first: cookieOf(joined), second: await signIn(person), third: await signIn(person) };

    const own = await openStream(on, owner);
    const first = await openStream(on, sessions.first);
    const second = await openStream(on, sessions.second);
    assert.equal((await askAt(on, 'DELETE', '/v1/session', sessions.first)).status, 204);
    assert.match(await first.ended, /^retry: 2000\nevent: hello\n/);

    const third = await openStream(on, sessions.third);
    const change = { currentPassword: password, newPassword: 'yet another password' };
    assert.equal((await askAt(on, 'PUT', '/v1/me/password', sessions.third, change)).status, 204);
    await second.ended;

    assert.equal((await askAt(on, 'DELETE', `/v1/users/${id}`, owner)).status, 204);
    await third.ended;

    let isOwnOpen = true;
    void own.ended.then(() => (isOwnOpen = false));
    assert.equal((await askAt(on, 'GET', '/v1/me', owner)).status, 200);
    assert.ok(isOwnOpen, 'the stream of another person ended, too');
  },
);
