// Errors during the choice of a containment do not lower it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseContainment } from './choose-containment.ts';

test('if no gateway can be opened, the choice stays open and scripts get no machine network', async () => {
  const open = (): Promise<never> => Promise.reject(new Error('too many open files'));
  await assert.rejects(
    chooseContainment(process.execPath, process.getuid?.() === 0, open),
    /script containment cannot be tested: \w+: .*too many open files/,
  );
});
