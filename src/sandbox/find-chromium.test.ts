// Selection of the Chromium for scripts.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findChromium, hasChromium } from './find-chromium.ts';

test('uses the configured Chromium, else the system’s first, else the newest unpacked, else none', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-chromium-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const put = (...parts: readonly string[]): string => {
    const path = join(folder, ...parts);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
    return path;
  };
  const first = join(folder, 'first', 'chromium');
  const second = join(folder, 'second', 'chrome');
  const places = { installed: [first, second], unpacked: join(folder, 'unpacked') };
  const found = (named: string | null = null): string | null => {
    const browser = findChromium(named, places);
    assert.equal(hasChromium(named, places), browser !== null);
    return browser === null ? null : join(browser.folder, browser.program);
  };
  assert.equal(found(), null);
  for (const version of ['9.0.1', '143.0.4', '143.0.12']) put('unpacked', `chromium-${version}`, 'chromium');
  put('unpacked', '.chromium-999-1', 'chromium');
  assert.equal(found(), join(places.unpacked, 'chromium-143.0.12', 'chromium'));
  put('second', 'chrome');
  assert.equal(found(), second);
  assert.equal(findChromium(null, places)?.libraries, null, 'a system has its own');
  put('first', 'chromium');
  assert.equal(found(), first);
  const own = put('own', 'chrome');
  assert.equal(found(own), own);
  assert.equal(found(join(folder, 'nowhere')), null, 'a configured path has no fallback');
});
