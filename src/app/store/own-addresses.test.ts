// Addresses that the configuration identifies as Tocsin's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '#config/config.ts';
import { hostname } from 'node:os';
import { aSign } from '../../../tests/support/store/records.ts';
import { listenersOf, ownAddresses, placesOfOthers } from './own-addresses.ts';

const placesOf = (environment: Record<string, string>, ports: readonly number[] = []) =>
  ownAddresses(readConfig(environment), ports);
const place = (host: string, port: number, owner: string) => ({ host, port, owner });

test('closes the database server and the one for wake-ups, but no file', () => {
  assert.deepEqual(placesOf({}), []);
  const pooler = 'postgres://u:p@pooler:6432/d';
  const closed = place('pooler', 6432, 'database');
  assert.deepEqual(placesOf({ DATABASE_URL: pooler }), [closed]);
  assert.deepEqual(placesOf({ DATABASE_URL: pooler, TOCSIN_LISTEN_URL: 'off' }), [closed]);
  assert.deepEqual(placesOf({ DATABASE_URL: pooler, TOCSIN_LISTEN_URL: 'postgres://u:p@[::1]/d' }), [
    closed,
    place('::1', 5432, 'database'),
  ]);
  assert.deepEqual(placesOf({ DATABASE_URL: 'postgres://u@/d?host=/run/postgresql' }), [
    place('127.0.0.1', 5432, 'database'),
  ]);
});

test('closes the listeners, the proxy and the public URL of this process', () => {
  const environment = { TOCSIN_PROXY: 'http://proxy.test:3128', TOCSIN_PUBLIC_URL: 'https://tocsin.test/base' };
  assert.deepEqual(placesOf(environment, [3000, 9464, 0]), [
    place('127.0.0.1', 3000, 'tocsin'),
    place('127.0.0.1', 9464, 'tocsin'),
    place('proxy.test', 3128, 'proxy'),
    { ...place('tocsin.test', 443, 'tocsin'), isNameOnly: true },
  ]);
  assert.deepEqual(placesOf({ TOCSIN_PUBLIC_URL: 'http://[2001:db8::7]:3000' }), [
    { ...place('2001:db8::7', 3000, 'tocsin'), isNameOnly: false },
  ]);
});

test('closes the listeners of other processes, those on loopback only if they run on this machine', () => {
  const near = { ...aSign({ host: hostname(), listeners: listenersOf('127.0.0.1', [3001]) }), seenAt: 0 };
  const far = {
    ...aSign({ host: 'far', listeners: [...listenersOf('::1', [3002]), { host: '10.0.0.7', port: 3003 }] }),
    seenAt: 0,
  };
  assert.deepEqual(placesOfOthers([near, far]), [
    place('127.0.0.1', 3001, 'tocsin'),
    place('10.0.0.7', 3003, 'tocsin'),
  ]);
  const everywhere = listenersOf('0.0.0.0', [3000]);
  assert.ok(
    everywhere.some(({ host, port }) => host === '127.0.0.1' && port === 3000),
    'a wildcard covers every address',
  );
});
