// Resources of the API become files without noise and without secrets.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageFolder } from '#lib/package-files.ts';
import type { JsonObject } from '#domain/json.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import { exportResources } from './export.ts';
import type { FileSchema } from './from-api.ts';

const schema = JSON.parse(readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8')) as FileSchema;
const id = '00000000-0000-4000-8000-000000000001';
const check = (more: JsonObject): JsonObject => ({
  id,
  checkType: 'URL',
  name: 'Home page (German)',
  frequency: 10,
  activated: true,
  tags: [],
  groupId: null,
  created_at: '2026-01-01T00:00:00.000Z',
  nextRunAt: null,
  alertChannelSubscriptions: [],
  request: { method: 'GET', url: 'https://shop.example/', followRedirects: true, skipSSL: false, assertions: [] },
  ...more,
});

test('defaults and read-only fields are left out, and references are logical IDs', () => {
  const { file, placeholders } = exportResources(
    schema,
    {
      alertChannels: [{ id: 3, type: 'EMAIL', config: { name: '', address: 'ops@example.com' }, sendRecovery: true }],
      checkGroups: [{ id: 5, name: 'Web', apiCheckDefaults: { url: '', headers: [], basicAuth: null } }],
      checks: [
        check({
          groupId: 5,
          alertChannelSubscriptions: [{ alertChannelId: 3, activated: true, escalationMinutes: 0 }],
        }),
        check({
          id: id.replace(/1$/, '2'),
          groupId: 9,
          dependsOn: [id],
          frequency: 1,
          name: 'Cost: ${x} $${y} ${env:Z}',
        }),
      ],
    },
    (type, key) => (type === 'check-group' && key === '5' ? 'website' : undefined),
  );
  assert.deepEqual(placeholders, []);
  assert.deepEqual(file, {
    variables: {},
    privateLocations: {},
    snippets: {},
    alertChannels: { 'ops-example-com': { type: 'EMAIL', config: { address: 'ops@example.com' } } },
    checkGroups: { website: { name: 'Web' } },
    checks: {
      'cost-x-y-env-z': {
        checkType: 'URL',
        name: 'Cost: ${x} $$${y} $${env:Z}',
        dependsOn: ['home-page-german'],
        frequency: 1,
        group: 9,
        request: { url: 'https://shop.example/' },
      },
      'home-page-german': {
        checkType: 'URL',
        name: 'Home page (German)',
        group: 'website',
        alertChannels: ['ops-example-com'],
        request: { url: 'https://shop.example/' },
      },
    },
    maintenanceWindows: {},
    statusServices: {},
    statusPages: {},
  });
});

test('secrets are placeholders with names of their own', () => {
  const { file, placeholders } = exportResources(
    schema,
    {
      variables: [
        { key: 'OPEN', value: 'a', locked: false, secret: false },
        { key: 'TOKEN', value: null, locked: false, secret: true },
        { key: 'LOCKED', value: 'hush', locked: true, secret: false },
      ],
      alertChannels: [
        { id: 1, type: 'WEBHOOK', config: { name: 'Hook', url: 'https://a.example', webhookSecret: mask } },
        { id: 2, type: 'WEBHOOK', config: { name: 'Chat', url: 'https://hooks.slack.com/services/hush' } },
      ],
      checks: [
        check({
          checkType: 'API',
          name: 'Cart',
          environmentVariables: [{ key: 'TOKEN', value: null, locked: false, secret: true }],
          request: {
            method: 'GET',
            url: `https://${mask}@shop.example/`,
            headers: [{ key: 'X-Key', value: 'hush', locked: true }],
            basicAuth: { username: 'me', password: mask },
          },
        }),
      ],
    },
    () => undefined,
  );
  const text = JSON.stringify(file);
  assert.ok(!text.includes('hush') && !text.includes(mask), text);
  assert.deepEqual(file.variables, {
    OPEN: 'a',
    TOKEN: { value: '${env:TOKEN}', secret: true },
    LOCKED: { value: '${env:LOCKED}', locked: true },
  });
  assert.deepEqual(
    placeholders.map(({ name, used }) => `${name} ${used}`),
    [
      'TOKEN variables.TOKEN.value',
      'LOCKED variables.LOCKED.value',
      'HOOK_WEBHOOK_SECRET alertChannels.hook.config.webhookSecret',
      'CHAT_URL alertChannels.chat.config.url',
      'CART_URL checks.cart.request.url',
      'CART_X_KEY checks.cart.request.headers[0].value',
      'CART_BASIC_AUTH_PASSWORD checks.cart.request.basicAuth.password',
      'CART_TOKEN checks.cart.environmentVariables[0].value',
    ],
  );
});
