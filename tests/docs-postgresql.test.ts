// What docs/postgresql.md gives to paste and to count on is so: addresses, secrets, roles, numbers of connections.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { roles } from '#config/variables.ts';
import { readConfig } from '#config/config.ts';
import { maxWaiting } from '#pipeline/record-results.ts';
import { readPostgresAddress, sslModes } from '#lib/net/postgres-address.ts';
import { maxConnections } from '#store/engines/postgres/connections.ts';
import { paste } from './support/service/command.ts';
import { fieldsBelow, readCompose, readImage, root, succeeds, textAt } from './support/service/deploy-files.ts';
import { deployments, ofKind, roleOf } from './support/service/manifests.ts';
import { blockOf, codeOf, readPage, type Table } from './support/pages.ts';

const page = readPage('docs/postgresql.md');

function tableOf(...head: readonly string[]): Table['rows'] {
  const found = page.tables.filter((table) => head.every((word, index) => table.head[index] === word));
  assert.equal(found.length, 1, `${found.length} tables with the head ${head.join(', ')}`);
  return found[0]?.rows ?? [];
}

/** What a block leaves behind and prints, run in a folder of its own. */
async function pasted(block: string, environment: NodeJS.ProcessEnv, inspect: (folder: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-pasted-'));
  try {
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'database-ca.pem'), 'a certificate\n');
    const { code, err } = await paste(block, folder, environment);
    assert.deepEqual([code, err], [0, '']);
    inspect(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('addresses in docs/postgresql.md', () => {
  it('are read as they are meant', () => {
    const [, url = ''] = /^DATABASE_URL=(\S+)$/m.exec(page.text) ?? [];
    assert.equal(readPostgresAddress(url).sslMode, 'verify-full');
    const [, socket = ''] = /`(postgres:\/\/\S+\?host=\S+)`/.exec(page.text) ?? [];
    assert.deepEqual(
      [readPostgresAddress(socket).host, readPostgresAddress(socket).database],
      ['/run/postgresql', 'tocsin'],
    );
  });

  it('have every character escaped that has to be, and rightly', () => {
    const [list = ''] = /- In a user and a password write [^]*?\. This/.exec(page.text) ?? [];
    const pairs = [...list.matchAll(/`(\S)`\s+as\s+`(%\w\w)`/g)].map(([, plain = '', escaped = '']) => [
      plain,
      escaped,
    ]);
    assert.equal(pairs.length, 8);
    for (const [plain, escaped] of pairs) assert.equal(encodeURIComponent(plain ?? ''), escaped);
    const url = `postgres://u:${pairs.map(([, escaped]) => escaped).join('')}@h/d`;
    assert.equal(readPostgresAddress(url).password, pairs.map(([plain]) => plain).join(''));
  });

  it('have the modes of encryption that there are', () => {
    assert.deepEqual(
      tableOf('`sslmode`').map(([mode = '']) => mode.split(',')[0]),
      sslModes.map((mode) => `\`${mode}\``),
    );
    assert.equal(readPostgresAddress('postgres://u@h/d').sslMode, 'prefer');
  });
});

describe('numbers in docs/postgresql.md', () => {
  it('of connections follow from the processes that deploy/ starts', () => {
    const each = maxConnections + 1;
    assert.equal(each, 9);
    const compose = readCompose({ ADMIN_PASSWORD: 'a', DATABASE_PASSWORD: 'b', SECRET_KEY: 'c' }).services.length - 1;
    const count = (of: (role: string) => number): number =>
      deployments.map((one) => of(roleOf(one))).reduce((sum, one) => sum + one, 0);
    const replicas = (role: string): number =>
      Number(
        textAt(
          deployments.find((one) => roleOf(one) === role),
          'spec',
          'replicas',
        ),
      );
    const scaled = (role: string): number => {
      const scaler = ofKind('HorizontalPodAutoscaler').find(
        (one) => textAt(one, 'metadata', 'name') === `tocsin-${role}`,
      );
      return scaler === undefined ? replicas(role) : Number(textAt(scaler, 'spec', 'maxReplicas'));
    };
    const surge = fieldsBelow(deployments).filter(({ maxSurge }) => maxSurge === 1).length;
    assert.equal(surge, deployments.length, 'each adds one during a rollout');
    const expected = [compose, count(replicas), count(scaled)].map((processes, index) => [
      String(processes),
      String(processes * each),
      index === 0 ? '' : String((processes + surge) * each),
    ]);
    assert.deepEqual(
      tableOf('', 'Processes').map(([, ...numbers]) => numbers),
      expected,
    );
  });

  it('of findings that wait is the bound that the runner keeps', () => {
    assert.ok(page.text.includes(`up to ${maxWaiting.toLocaleString('en')} findings for each runner`));
  });

  it('of processes of a role are those that deploy/kubernetes starts', () => {
    const rows = tableOf('Role', 'Does', 'How many');
    assert.deepEqual(
      rows.map(([role = '']) => codeOf(role)),
      [...roles],
    );
    for (const [role = '', , many = ''] of rows) {
      const deployment = deployments.find((one) => roleOf(one) === codeOf(role));
      assert.equal(Number.parseInt(many, 10), Number(textAt(deployment, 'spec', 'replicas')), role);
    }
  });
});

describe('what docs/postgresql.md gives to paste', () => {
  it('makes role and database with the words of deploy/create-database.sql', () => {
    const file = readFileSync(`${root}deploy/create-database.sql`, 'utf8');
    const statements = file.split('\n').filter((line) => /^[A-Z]/.test(line));
    assert.deepEqual(
      blockOf(page, 'sql', 'create-database').split('\n'),
      statements.map((line) => line.replace(`:'password'`, `'choose-a-long-one'`)),
    );
    assert.match(file, /^\\set password `printenv DATABASE_PASSWORD`$/m);
  });

  it('makes the secrets that the compose file asks for, readable by nobody else', () =>
    pasted(blockOf(page, 'sh', 'compose-env'), {}, (folder) => {
      const file = join(folder, 'deploy/.env');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const { services } = readCompose(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>);
      const secrets = services.map(({ environment }) => environment['TOCSIN_SECRET_KEY'] ?? '');
      for (const { environment } of services.filter(({ name }) => name !== 'database')) {
        assert.equal(readConfig({ ...readImage().environment, ...environment }).database.kind, 'postgres');
      }
      assert.match(secrets[0] ?? '', /^[0-9a-f]{64}$/);
    }));

  const noKubectl = !succeeds('kubectl', 'version', '--client') && 'there is no kubectl on this machine';
  // It writes down, in the form of kubectl, what it was asked for.
  const standIn = `kubectl() { for word; do case $word in
    --from-literal=*) pair=\${word#*=}; echo "  \${pair%%=*}: $(printf %s "\${pair#*=}" | base64 -w 0)";;
    --from-file=*) echo "  \${word#*=}: $(base64 -w 0 "\${word#*=}")";; esac; done | (echo data:; cat); }\n`;

  const makesTheSecret = (before: string) => (): Promise<void> => {
    const address = 'postgres://tocsin:x%40y@db/tocsin';
    return pasted(before + blockOf(page, 'sh', 'kubernetes-secret'), { DATABASE_URL: address }, (folder) => {
      const made = parse(readFileSync(join(folder, 'tocsin-secrets.yaml'), 'utf8')) as { data: Record<string, string> };
      const [example] = ofKind('Secret');
      const values = Object.entries(made.data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]);
      const secret = Object.fromEntries(values) as Record<string, string>;
      assert.deepEqual(Object.keys(secret).toSorted(), Object.keys(example?.['stringData'] as object).toSorted());
      assert.equal(secret['database-url'], address);
      const config = readConfig({
        TOCSIN_SECRET_KEY: secret['secret-key'],
        TOCSIN_BOOTSTRAP_API_KEY: secret['bootstrap-api-key'],
      });
      assert.equal(config.secretKey, secret['secret-key']);
    });
  };

  it('creates the secret that the manifests require with the documented kubectl command', makesTheSecret(standIn));

  it('makes the secret that the manifests ask for, by kubectl', { skip: noKubectl }, makesTheSecret(''));
});
