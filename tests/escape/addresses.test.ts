// Scripts reach neither cloud metadata nor the port of the store, which both have listeners, in their own network.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInOwnNetwork } from '../support/own-network.ts';
import type { Attempt, SeenOfAddresses, Sort, Tried } from './addresses-within.ts';

const within = fileURLToPath(new URL('./addresses-within.ts', import.meta.url));
/** Names that lead there. */
const hostsFile = `127.0.0.1 localhost
::1 localhost
127.0.0.1 store.test
10.9.8.7 other-name.test
169.254.169.254 metadata.test
`;

/** Ways through the gateway, and ways around it. */
const led = ['net.connect', 'fetch', 'http.get', 'the gateway itself'];
const unled = ['another Node.js that is not led', 'perl'];

describe('a script', () => {
  let seen: SeenOfAddresses;
  before(async () => {
    seen = JSON.parse(await runInOwnNetwork(within, { hosts: hostsFile, resolver: '' })) as SeenOfAddresses;
    const tried = seen.contained.flatMap(({ usual, allowed, open }) => [usual, allowed, open]);
    for (const { problem } of [...tried, seen.bare]) assert.equal(problem, '');
  });

  it('would reach both by every address and name without the refusals', () => {
    for (const sort of ['metadata', 'store'] as const) {
      const bare = attemptsOf(seen.bare, sort, [...led.slice(0, 3), ...unled]);
      assert.deepEqual(unreached(bare), []);
      for (const { level, open } of seen.contained) {
        const through = attemptsOf(open, sort, led);
        assert.ok(through.length >= 20, `${through.length} attempts at ${sort}, ${level}`);
        assert.deepEqual(unreached(through), [], level);
        // Ways around the gateway fail while contained and work otherwise.
        const round = attemptsOf(open, sort, unled);
        assert.ok(round.length > 0 && bare.length > round.length);
        assert.deepEqual(
          round.filter(({ got }) => got !== ''),
          [],
          level,
        );
      }
    }
    assert.ok(seen.bare.connected.metadata.includes('169.254.169.254'));
    assert.ok(seen.bare.connected.metadata.includes('fd00:ec2::254'));
  });

  it('does not reach cloud metadata, and learns which setting would allow it', () => {
    for (const { level, usual } of seen.contained) assert.deepEqual(usual.connected.metadata, [], level);
    for (const attempt of seen.contained.flatMap(({ usual }) => attemptsOf(usual, 'metadata', led))) {
      const { got, code, message } = attempt;
      assert.deepEqual([got, code], ['', 'EGRESS_REFUSED'], JSON.stringify(attempt));
      assert.match(
        message,
        /(169\.254\.169\.254|fd00:ec2::254) is a reserved address; to allow it, add its network to TOCSIN_EG/,
      );
    }
  });

  it('does not reach the port of the store under any policy, by any name or address', () => {
    for (const tried of seen.contained.flatMap(({ usual, allowed }) => [usual, allowed])) {
      assert.deepEqual(tried.connected.store, []);
      const attempts = attemptsOf(tried, 'store', led);
      assert.ok(attempts.length >= 50, `${attempts.length} attempts`);
      for (const attempt of attempts) {
        assert.deepEqual([attempt.got, attempt.code], ['', 'EGRESS_REFUSED'], JSON.stringify(attempt));
      }
    }
    for (const attempt of seen.contained.flatMap(({ allowed }) => attemptsOf(allowed, 'store', led))) {
      assert.match(attempt.message, /:5432 is Tocsin's own database, which checks, webhooks and scripts cannot reach/);
    }
  });

  it('reaches other servers on the machine of the store', () => {
    for (const tried of seen.contained.flatMap(({ usual, allowed }) => [usual, allowed])) {
      assert.deepEqual(unreached(attemptsOf(tried, 'beside', led)), []);
      assert.notDeepEqual(tried.connected.beside, []);
    }
  });
});

function attemptsOf({ attempts }: Tried, sort: Sort, ways: readonly string[]): readonly Attempt[] {
  const found = attempts.filter((each) => each.sort === sort && ways.includes(each.way));
  assert.deepEqual([...new Set(found.map(({ way }) => way))].toSorted(), ways.toSorted());
  return found;
}

/** Failed attempts, for assertion messages. */
function unreached(attempts: readonly Attempt[]): readonly string[] {
  return attempts.filter(({ got }) => got !== 'reached').map((each) => JSON.stringify(each));
}
