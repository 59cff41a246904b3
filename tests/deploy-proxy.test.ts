// The examples of deploy/ for one machine fit the code: the unit's exit codes and paths, the proxies' limits.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configVariables } from '#config/variables.ts';
import { everyOperation } from '#contract/operations.ts';
import { maxBodyBytes } from '../src/rest/read-body.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8');

test('the systemd unit starts the command of a clone, and uses variables that exist', () => {
  const unit = read('tocsin.service');
  const command = /^ExecStart=\/opt\/tocsin\/(\S+) serve$/m.exec(unit)?.[1] ?? assert.fail('no command');
  assert.ok(existsSync(join(root, command)));
  const used = [...unit.matchAll(/\b(TOCSIN_[A-Z_]+)=/g)].map(([, name]) => name);
  const known: readonly string[] = Object.keys(configVariables);
  assert.deepEqual(
    used.filter((name) => !known.includes(name ?? '')),
    [],
  );
  assert.ok(used.includes('TOCSIN_DATA_DIR'));
});

test('the proxies accept the largest body, do not buffer events, and hide metrics and health', () => {
  const [nginx, caddy] = [read('nginx.conf'), read('Caddyfile')];
  const largest = Math.max(...everyOperation().map(maxBodyBytes)) / 2 ** 20;
  assert.ok(nginx.includes(`client_max_body_size ${largest}m;`), `${largest} MB`);
  assert.ok(caddy.includes(`max_size ${largest}MiB`));
  assert.match(nginx, /proxy_set_header Upgrade \$http_upgrade;/);
  assert.match(nginx, /proxy_buffering off;/);
  assert.match(caddy, /flush_interval -1/);
  // A trigger waits for up to 600 s.
  assert.ok(Number(/proxy_read_timeout (\d+)s;/.exec(nginx)?.[1]) > 600);
  for (const hidden of ['/metrics', '/health/']) {
    assert.ok(nginx.includes(`location ${hidden} { return 404; }`));
    assert.ok(caddy.includes(hidden));
  }
});
