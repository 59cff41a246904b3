// How far scripts are kept apart: what keeps it from being tried is no reason for less.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseContainment } from './choose-containment.ts';

test('a gateway that cannot be opened leaves the choice open, and does not let scripts onto the network of the machine', async () => {
  const open = (): Promise<never> => Promise.reject(new Error('too many open files'));
  await assert.rejects(
    chooseContainment(process.execPath, process.getuid?.() === 0, open),
    /how far scripts are kept apart cannot be tried: \w+: .*too many open files/,
  );
});
