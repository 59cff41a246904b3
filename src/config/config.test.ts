// Configuration: valid and invalid values of every variable, defaults, secrets, and the generated page.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { configVariables, defaultLimits, nearestVariable } from './variables.ts';
import { wrongSettings as wrong } from '../../tests/support/wrong-settings.ts';
import { createAuthority } from '../../tests/support/targets/certificates.ts';
import { configurationPage } from '../../tooling/configuration-page.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import { type Config, ConfigError, publicUrlOf, readConfig } from './config.ts';

const key = `tsn_${'Ab9_-'.repeat(8)}`;
const hex = 'AB'.repeat(32);
const uuid = '3F0C9A52-7D1E-4C58-9B11-6F2F0F6A4B27';

/** Needs both variables. */
const firstUser = { TOCSIN_BOOTSTRAP_EMAIL: 'bob@example.com', TOCSIN_BOOTSTRAP_PASSWORD: 'battery staple' };

const mail = { TOCSIN_SMTP_URL: 'smtp://mail.example.com', TOCSIN_MAIL_FROM: 'alerts@example.com' };
const telephone = { TOCSIN_SMS_URL: 'https://sms.example.com/', TOCSIN_CALL_URL: 'https://call.example.com/' };

const provider = {
  TOCSIN_PUBLIC_URL: 'https://t.example.com',
  TOCSIN_OIDC_ISSUER: 'https://login.example.com/a/',
  TOCSIN_OIDC_CLIENT_ID: 'tocsin',
  TOCSIN_OIDC_CLIENT_SECRET: 'client-canary',
};

const bucket = {
  TOCSIN_PUBLISH_BUCKET: 'https://s3.example.com/pages',
  TOCSIN_PUBLISH_BUCKET_KEY_ID: 'AKIA1',
  TOCSIN_PUBLISH_BUCKET_SECRET: 'bucket-canary',
};

/** Variables that another variable requires. */
function companions(name: string): Record<string, string> {
  if (name in firstUser) return firstUser;
  if (name.startsWith('TOCSIN_OIDC')) return provider;
  if (name.startsWith('TOCSIN_PUBLISH_BUCKET')) return bucket;
  if (/^TOCSIN_(SMTP|MAIL|ACCOUNT_MAIL)/.test(name)) return mail;
  return name.endsWith('_TEMPLATE') ? telephone : {};
}

function refusal(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.doesNotMatch(error.message, /\n/, 'one line');
    return error.message;
  }
  return assert.fail('the configuration was accepted');
}

const address = {
  host: 'db',
  port: 6432,
  user: 'ann',
  password: 's@h',
  database: 't',
  sslMode: 'prefer',
  sslRootCert: null,
  sslCert: null,
  sslKey: null,
};

/** Two CAs, with the text that other programs add. */
const caFile = join(mkdtempSync(join(tmpdir(), 'tocsin-ca-')), 'ca.pem');
writeFileSync(caFile, `# private\n${createAuthority().cert}# another one\n${createAuthority().cert}`);

type Case = readonly [name: string, text: string, part: (config: Config) => unknown, value: unknown];
const right: readonly Case[] = [
  ['HOST', '::', (c) => c.host, '::'],
  ['HOST', 'tocsin.internal', (c) => c.host, 'tocsin.internal'],
  ['PORT', '0', (c) => c.port, 0],
  ['PORT', ' 8080 ', (c) => c.port, 8080],
  ['TOCSIN_DATA_DIR', 'var/x', (c) => c.database, { kind: 'sqlite', path: resolve('var/x/tocsin.db') }],
  ['DATABASE_URL', 'sqlite:some/where.db', (c) => c.database, { kind: 'sqlite', path: resolve('some/where.db') }],
  ['DATABASE_URL', 'sqlite:/abs/x.db', (c) => c.database, { kind: 'sqlite', path: '/abs/x.db' }],
  ['DATABASE_URL', 'sqlite:///abs/x.db', (c) => c.database, { kind: 'sqlite', path: '/abs/x.db' }],
  ['DATABASE_URL', 'postgres://ann:s%40h@db:6432/t', (c) => c.database, { kind: 'postgres', address }],
  ['TOCSIN_LISTEN_URL', 'postgresql://ann:s%40h@db:6432/t', (c) => c.listen, address],
  ['TOCSIN_LISTEN_URL', 'off', (c) => c.listen, 'off'],
  ['TOCSIN_ROLES', 'runner, api', (c) => c.roles, ['api', 'runner']],
  ['TOCSIN_ROLES', 'all', (c) => c.roles.length, 5],
  ['TOCSIN_PUBLIC_URL', 'https://t.example.com/watch/', (c) => c.publicUrl, 'https://t.example.com/watch'],
  ['TOCSIN_MCP', 'off', (c) => c.servesMcp, false],
  ['TOCSIN_MQTT', 'off', (c) => c.servesMqtt, false],
  ['TOCSIN_ALLOWED_HOSTS', 'A.lan, *.bücher.de.', (c) => c.allowedHosts, ['a.lan', '*.xn--bcher-kva.de']],
  ['TOCSIN_TRUSTED_PROXIES', '127.0.0.1, fd00::/8', (c) => c.trustedProxies.map((a) => a.prefix), [32, 8]],
  ['TOCSIN_BOOTSTRAP_API_KEY', key, (c) => c.bootstrapApiKey, key],
  ['TOCSIN_BOOTSTRAP_ACCOUNT_ID', uuid, (c) => c.bootstrapAccountId, uuid.toLowerCase()],
  ['TOCSIN_BOOTSTRAP_EMAIL', 'Ada@example.com', (c) => c.bootstrapUser?.email, 'ada@example.com'],
  ['TOCSIN_BOOTSTRAP_PASSWORD', 'correct horse', (c) => c.bootstrapUser?.password, 'correct horse'],
  ['TOCSIN_OIDC_ISSUER', 'http://127.0.0.1:9/x', (c) => c.provider?.issuer, 'http://127.0.0.1:9/x'],
  ['TOCSIN_OIDC_CLIENT_ID', 'a:b', (c) => c.provider?.clientId, 'a:b'],
  ['TOCSIN_OIDC_CLIENT_SECRET', 's', (c) => c.provider?.clientSecret, 's'],
  ['TOCSIN_OIDC_NAME', 'Corp SSO', (c) => c.provider?.name, 'Corp SSO'],
  ['TOCSIN_OIDC_SCOPES', 'profile, groups', (c) => c.provider?.scopes, ['profile', 'groups']],
  ['TOCSIN_OIDC_DOMAINS', 'Example.com, x.org', (c) => c.provider?.domains, ['example.com', 'x.org']],
  [
    'TOCSIN_OIDC_ROLES',
    `{"groups": {"ops": {"${uuid}": "admin"}}}`,
    (c) => c.provider?.roles,
    { groups: { ops: { [uuid.toLowerCase()]: 'admin' } } },
  ],
  ['TOCSIN_OIDC_INVITED_ONLY', 'yes', (c) => c.provider?.isInvitedOnly, true],
  ['TOCSIN_SECRET_KEY', hex, (c) => c.secretKey, hex.toLowerCase()],
  ['TOCSIN_ACCOUNT_LIMITS', 'off', (c) => c.accountLimits, {}],
  ['TOCSIN_ACCOUNT_LIMITS', 'checks=5, apiKeys=0', (c) => c.accountLimits, { ...defaultLimits, checks: 5, apiKeys: 0 }],
  ['TOCSIN_SMTP_URL', 'smtps://u:p@mail.example.com', (c) => c.gateways.smtp?.url, 'smtps://u:p@mail.example.com'],
  ['TOCSIN_WATCHDOG_URL', 'https://u:p@hc.example/ping/x', (c) => c.watchdogUrl, 'https://u:p@hc.example/ping/x'],
  ['TOCSIN_PUBLISH_FOLDER', '/srv/status', (c) => c.publish.folder, '/srv/status'],
  ['TOCSIN_PUBLISH_BUCKET', 'https://s3.example.com/a/', (c) => c.publish.bucket?.url, 'https://s3.example.com/a'],
  ['TOCSIN_PUBLISH_BUCKET_REGION', 'auto', (c) => c.publish.bucket?.region, 'auto'],
  ['TOCSIN_PUBLISH_BUCKET_KEY_ID', 'AKIA1', (c) => c.publish.bucket?.keyId, 'AKIA1'],
  ['TOCSIN_PUBLISH_BUCKET_SECRET', 'a/b+c=', (c) => c.publish.bucket?.secret, 'a/b+c='],
  ['TOCSIN_CONFIG_FOLDER', '/etc/tocsin', (c) => c.configFolder?.path, '/etc/tocsin'],
  ['TOCSIN_CONFIG_ACCOUNT', '3F0C9A52-7d1e-4c58-9b11-6f2f0f6a4b27', (c) => c.configAccount?.slice(0, 8), '3f0c9a52'],
  ['TOCSIN_NOTICE_CHANNEL', '3F0C9A52-7d1e-4c58-9b11-6f2f0f6a4b27/12', (c) => c.noticeChannel?.alertChannelId, 12],
  ['TOCSIN_SMTP_STARTTLS', 'off', (c) => c.gateways.smtp?.startTls, 'off'],
  ['TOCSIN_MAIL_FROM', 'Tocsin <a@example.com>', (c) => c.gateways.smtp?.from, 'Tocsin <a@example.com>'],
  [
    'TOCSIN_ACCOUNT_MAIL',
    '{"a": {"from": "a@example.org"}, "b": {"from": "b@example.org", "url": "smtps://u:p@mail.example.org", "startTls": "off"}}',
    (c) => c.gateways.accountSmtp,
    {
      a: { url: mail.TOCSIN_SMTP_URL, from: 'a@example.org', startTls: 'required' },
      b: { url: 'smtps://u:p@mail.example.org', from: 'b@example.org', startTls: 'off' },
    },
  ],
  [
    'TOCSIN_SMS_URL',
    'https://u:p@sms.example.com/send',
    (c) => c.gateways.sms,
    { url: 'https://u:p@sms.example.com/send', template: '{"to":"{{NUMBER}}","text":"{{TEXT}}"}' },
  ],
  [
    'TOCSIN_SMS_TEMPLATE',
    'To={{NUMBER}}&Body={{TEXT}}',
    (c) => c.gateways.sms?.template,
    'To={{NUMBER}}&Body={{TEXT}}',
  ],
  ['TOCSIN_CALL_URL', 'https://call.example.com/', (c) => c.gateways.call?.url, 'https://call.example.com/'],
  [
    'TOCSIN_CALL_TEMPLATE',
    'To={{NUMBER}}&Say={{TEXT}}',
    (c) => c.gateways.call?.template,
    'To={{NUMBER}}&Say={{TEXT}}',
  ],
  ['TOCSIN_MAIL_LIMIT', '5', (c) => c.sendingLimits.email, 5],
  ['TOCSIN_STATUS_MAIL_LIMIT', '7', (c) => c.sendingLimits.status, 7],
  ['TOCSIN_TELEPHONE_LIMIT', '0', (c) => c.sendingLimits.telephone, 0],
  ['TOCSIN_PAGERDUTY_URL', 'https://pager.example.com/', (c) => c.gateways.pagerDutyUrl, 'https://pager.example.com'],
  ['TOCSIN_OPSGENIE_URL', 'https://genie.example.com/', (c) => c.gateways.opsgenieUrl, 'https://genie.example.com'],
  ['TOCSIN_EGRESS', 'private', (c) => c.egress.mode, 'private'],
  ['TOCSIN_CA_FILE', caFile, (c) => c.caCertificates.length, 2],
  ['TOCSIN_METRICS_TOKEN', 'x'.repeat(16), (c) => c.metrics.token, 'x'.repeat(16)],
  ['TOCSIN_METRICS_PORT', '9464', (c) => c.metrics.port, 9464],
  [
    'TOCSIN_PROXY',
    'http://a:b%20c@proxy.test:3128',
    (c) => c.egress.proxy,
    { host: 'proxy.test', port: 3128, authorization: 'Basic YTpiIGM=' },
  ],
  ['TOCSIN_PROXY', 'http://[::1]/', (c) => c.egress.proxy, { host: '::1', port: 80, authorization: null }],
  ['TOCSIN_RESOLVER_CONTROL_NAME', 'dc1.corp', (c) => c.egress.names.controlName, 'dc1.corp'],
  ['TOCSIN_EGRESS_ALLOW', '10.0.0.0/8, ::1', (c) => c.egress.allow.map((a) => a.prefix), [8, 128]],
  [
    'TOCSIN_STATIC_ADDRESSES',
    '203.0.113.7, eu-1=198.51.100.4,eu-1=2001:db8::/56,2001:db8:1::1',
    (c) => c.staticAddresses.map(({ location, text }) => [location, text]),
    [
      [null, '203.0.113.7'],
      ['eu-1', '198.51.100.4'],
      ['eu-1', '2001:db8::/56'],
      [null, '2001:db8:1::1/128'],
    ],
  ],
  ['TOCSIN_LOCATION', 'eu-1:Frankfurt: cellar', (c) => c.location, { code: 'eu-1', name: 'Frankfurt: cellar' }],
  ['TOCSIN_LOCATION', 'eu-1', (c) => c.location, { code: 'eu-1', name: 'eu-1' }],
  ['TOCSIN_DELIVERIES', 'held', (c) => c.holdsDeliveries, true],
  ['TOCSIN_AUDIT_DAYS', '90', (c) => c.auditDays, 90],
  ['TOCSIN_RETENTION_DAYS', '3650', (c) => c.retentionDays, 3650],
  ['TOCSIN_RATE_LIMIT', '0', (c) => [c.rateLimit, c.accountRateLimit], [0, 0]],
  ['TOCSIN_ACCOUNT_RATE_LIMIT', '100', (c) => c.accountRateLimit, 100],
  ['TOCSIN_PING_LIMIT', '0', (c) => c.pingLimit, 0],
  ['TOCSIN_PING_LIMIT', '60', (c) => c.pingLimit, 60],
  ['TOCSIN_PROBE_THREADS', '3', (c) => c.probeThreads, 3],
  ['TOCSIN_CHROMIUM', process.execPath, (c) => c.chromium, process.execPath],
  ['TOCSIN_SCRIPTS_AT_ONCE', '4', (c) => c.scriptsAtOnce, 4],
  ['TOCSIN_BROWSER_SECONDS', '600', (c) => c.scriptMs, { BROWSER: 600_000, MULTI_STEP: 120_000 }],
  ['TOCSIN_MULTI_STEP_SECONDS', '10', (c) => c.scriptMs, { BROWSER: 240_000, MULTI_STEP: 10_000 }],
  ['TOCSIN_SCRIPTS_WARM', '0', (c) => c.scriptsWarm, 0],
  ['TOCSIN_SCRIPTS_UNCONTAINED', 'yes', (c) => c.scriptsUncontained, true],
  ['LOG_LEVEL', 'WARN', (c) => c.logLevel, 'warn'],
];

describe('configuration', () => {
  after(() => rmSync(dirname(caFile), { recursive: true }));

  it('requires no variable', () => {
    const config = readConfig({}, 8);
    assert.deepEqual(config, {
      host: '127.0.0.1',
      port: 3000,
      dataDir: resolve('data'),
      database: { kind: 'sqlite', path: resolve('data/tocsin.db') },
      listen: null,
      roles: ['api', 'scheduler', 'runner', 'deliverer', 'upkeep'],
      publicUrl: null,
      publish: { folder: null, bucket: null },
      allowedHosts: [],
      trustedProxies: [],
      bootstrapApiKey: null,
      bootstrapAccountId: null,
      bootstrapUser: null,
      caCertificates: [],
      provider: null,
      secretKey: null,
      egress: { mode: 'any', allow: [], proxy: null, names: { controlName: null } },
      gateways: noGateways,
      sendingLimits: { telephone: 60, email: 200, status: 100_000 },
      watchdogUrl: null,
      noticeChannel: null,
      configFolder: null,
      configAccount: null,
      metrics: { token: null, port: null, isClosed: false },
      servesMcp: true,
      servesMqtt: true,
      location: { code: 'local', name: 'Local' },
      staticAddresses: [],
      holdsDeliveries: false,
      retentionDays: 30,
      auditDays: 365,
      rateLimit: 600,
      accountRateLimit: 3000,
      accountLimits: defaultLimits,
      pingLimit: 60,
      probeThreads: 7,
      chromium: null,
      scriptsAtOnce: 8,
      scriptMs: { BROWSER: 240_000, MULTI_STEP: 120_000 },
      scriptsWarm: 1,
      scriptsUncontained: false,
      serverTimeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      logLevel: 'info',
      unknownVariables: [],
    });
  });

  for (const [name, text, part, value] of right) {
    it(`accepts ${name}=${text}`, () =>
      assert.deepEqual(part(readConfig({ ...companions(name), [name]: text })), value));
  }

  for (const [name, text] of wrong) {
    it(`rejects ${name}=${JSON.stringify(text)} with the variable, the value and what is valid`, () => {
      const message = refusal({ [name]: text });
      const { right, ...rest } = configVariables[name as keyof typeof configVariables];
      assert.ok(message.startsWith(`${name}=`), message);
      assert.ok(message.endsWith(right), message);
      assert.ok('secret' in rest || message.includes(JSON.stringify(text).slice(1, -1)), message);
    });
  }

  it('has a valid and an invalid example of every variable in this test', () => {
    const seen = new Set([...right.map(([name]) => name), 'TOCSIN_SECRET_KEY_FILE']);
    assert.deepEqual([...seen].sort(), Object.keys(configVariables).sort());
    assert.deepEqual([...new Set(wrong.map(([name]) => name))].sort(), Object.keys(configVariables).sort());
  });

  it('treats an empty variable as unset', () => assert.equal(readConfig({ PORT: '', LOG_LEVEL: ' ' }).port, 3000));

  it('cannot be changed after it is read', () => {
    const config = readConfig({});
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.egress) && Object.isFrozen(config.egress.allow));
  });

  it('allows requests to any address only while it listens on loopback', () => {
    for (const host of ['127.0.0.1', '127.8.0.1', '::1', 'localhost']) {
      assert.equal(readConfig({ HOST: host }).egress.mode, 'any', host);
    }
    for (const host of ['0.0.0.0', '::', '10.1.2.3', 'tocsin.internal']) {
      assert.equal(readConfig({ HOST: host }).egress.mode, 'public', host);
    }
  });

  it('never shows a secret in an error', () => {
    for (const name of ['TOCSIN_SECRET_KEY', 'TOCSIN_BOOTSTRAP_API_KEY', 'TOCSIN_SMTP_URL', 'TOCSIN_SMS_URL']) {
      assert.doesNotMatch(refusal({ [name]: 'canary-value' }), /canary/);
    }
    const refused = refusal({ TOCSIN_ACCOUNT_MAIL: '{"a": {"from": "a@example.org", "url": "http://u:canary@mail"}}' });
    assert.match(refused, /TOCSIN_ACCOUNT_MAIL=.*: a\.url: use an smtp or smtps URL/);
    assert.doesNotMatch(refused, /canary/);
    assert.match(
      refusal({ TOCSIN_ACCOUNT_MAIL: '{"a": {"from": "a@example.org"}}' }),
      /TOCSIN_SMTP_URL is not set; TOCSIN_ACCOUNT_MAIL has no url for a/,
    );
    assert.doesNotMatch(refusal({ DATABASE_URL: 'postgres://me:can@ary@db/x#y' }), /can@|ary@/);
  });

  it('reports what is missing in a PostgreSQL address', () => {
    assert.match(refusal({ DATABASE_URL: 'postgresql://db/x' }), /has no user.*sqlite:<path.*postgres:\/\/user/);
  });

  it('reads the secret key from a file, and reports a file without one', () => {
    const dir = mkdtempSync(join(tmpdir(), 'tocsin-config-'));
    const file = join(dir, 'key');
    try {
      writeFileSync(file, `${hex}\n`);
      assert.equal(readConfig({ TOCSIN_SECRET_KEY_FILE: file }).secretKey, hex.toLowerCase());
      assert.match(refusal({ TOCSIN_SECRET_KEY_FILE: file, TOCSIN_SECRET_KEY: hex }), /set only one of them$/);
      writeFileSync(file, 'canary');
      assert.match(refusal({ TOCSIN_SECRET_KEY_FILE: file }), /does not contain 64 hex digits/);
      assert.doesNotMatch(refusal({ TOCSIN_SECRET_KEY_FILE: file }), /canary/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('is restrictive as soon as other machines can reach the server: public addresses only, and no metrics without a token', () => {
    const cases: readonly (readonly [Record<string, string>, boolean])[] = [
      [{}, true],
      [{ HOST: 'localhost', TOCSIN_PUBLIC_URL: 'http://localhost:3000' }, true],
      [{ HOST: '::1', TOCSIN_PUBLIC_URL: 'http://[::1]:3000/base' }, true],
      [{ HOST: '0.0.0.0' }, false],
      [{ HOST: '10.0.0.7' }, false],
      [{ TOCSIN_PUBLIC_URL: 'https://tocsin.example.com' }, false],
      [{ TOCSIN_PUBLIC_URL: 'http://192.168.1.7:3000' }, false],
    ];
    for (const [env, isPrivate] of cases) {
      const { egress, metrics } = readConfig(env);
      assert.equal(egress.mode, isPrivate ? 'any' : 'public', JSON.stringify(env));
      assert.equal(metrics.isClosed, !isPrivate, JSON.stringify(env));
      assert.equal(readConfig({ ...env, TOCSIN_EGRESS: 'private' }).egress.mode, 'private');
      const token = { TOCSIN_METRICS_TOKEN: 'x'.repeat(16) };
      for (const set of [token, { TOCSIN_METRICS_PORT: '9464' }]) {
        assert.equal(readConfig({ ...env, ...set }).metrics.isClosed, false);
      }
    }
  });

  it('requires both variables of the first user, or neither, and all of a bucket', () => {
    for (const all of [firstUser, bucket]) {
      for (const [name, value] of Object.entries(all)) {
        const missing = Object.keys(all).find((other) => other !== name);
        assert.equal(refusal({ [name]: value }), `${missing} is not set; ${name} requires it`);
      }
    }
  });

  it('requires the whole identity provider, or nothing of it', () => {
    const { name, domains, isInvitedOnly } = readConfig(provider).provider ?? {};
    assert.deepEqual([name, domains, isInvitedOnly], ['login.example.com', [], false]);
    for (const missing of Object.keys(provider)) {
      const { [missing as keyof typeof provider]: _, ...rest } = provider;
      const requires = missing === 'TOCSIN_OIDC_ISSUER' ? 'TOCSIN_OIDC_CLIENT_ID' : 'TOCSIN_OIDC_ISSUER';
      assert.equal(refusal(rest), `${missing} is not set; ${requires} requires it`);
    }
    assert.match(refusal({ TOCSIN_OIDC_NAME: 'SSO' }), /^TOCSIN_OIDC_ISSUER is not set; TOCSIN_OIDC_NAME requires it$/);
    assert.doesNotMatch(refusal({ TOCSIN_OIDC_CLIENT_SECRET: 'a canary' }), /canary/);
    const roles = (text: string) => refusal({ ...provider, TOCSIN_OIDC_ROLES: text });
    assert.match(roles('{"groups": {"ops": {"17": "admin"}}}'), /groups\.ops\.17: /);
    assert.match(roles(`{"groups": {"ops": {"${uuid}": "operator"}}}`), /groups\.ops\..*: /);
  });

  it('warns about unknown TOCSIN_ variables', () => {
    const { unknownVariables } = readConfig({ TOCSIN_RETENTION_DAY: '5', PATH: '/bin', TOCSIN_EGRESS: 'any' });
    assert.deepEqual(unknownVariables, ['TOCSIN_RETENTION_DAY']);
    for (const [name, meant] of [
      ['TOCSIN_RETENTION_DAY', 'TOCSIN_RETENTION_DAYS'],
      ['TOCSIN_PORT', 'PORT'],
      ['TOCSIN_DATABASE_URL', 'DATABASE_URL'],
      ['TOCSIN_MOON', null],
    ] as const) {
      assert.equal(nearestVariable(name), meant);
    }
  });

  it('does not warn about variables that the pages name for clients', () => {
    const env = { TOCSIN_API_KEY: 'k', TOCSIN_URL: 'http://127.0.0.1:1', TOCSIN_TRIGGER: 'http://127.0.0.1:1/t' };
    assert.deepEqual(readConfig(env).unknownVariables, []);
  });

  it('provides links that can be opened, for any listening address', () => {
    const url = (env: Record<string, string>): string => publicUrlOf(readConfig(env), 4000);
    assert.equal(url({}), 'http://127.0.0.1:4000');
    assert.equal(url({ HOST: '::1' }), 'http://[::1]:4000');
    assert.equal(url({ HOST: '0.0.0.0' }), 'http://localhost:4000');
    assert.equal(url({ TOCSIN_PUBLIC_URL: 'https://t.example.com/' }), 'https://t.example.com');
  });

  it('matches docs/configuration.md (after a change: npm run docs)', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    assert.equal(page, configurationPage());
  });
});
