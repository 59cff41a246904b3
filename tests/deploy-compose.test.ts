// deploy/compose.postgres.yaml says what the code does, and compose takes it where compose is.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it, test } from 'node:test';
import { configVariables, type Role, roles } from '#config-variables.ts';
import { readConfig } from '#config.ts';
import {
  at,
  composePath,
  fieldsAt,
  readCompose,
  readImage,
  readYaml,
  root,
  succeeds,
  textAt,
  textsOf,
} from './support/deploy-files.ts';
import { plainEnvironment } from './support/plain-environment.ts';

const image = readImage();
const secrets = { ADMIN_PASSWORD: 'a'.repeat(64), DATABASE_PASSWORD: 'b'.repeat(64), SECRET_KEY: 'c'.repeat(64) };

describe(composePath, () => {
  const { whole, services } = readCompose(secrets);
  const processes = services.filter(({ settings }) => settings['image'] === image.tag);

  it('runs one process of each role, of this version, and the database', () => {
    assert.deepEqual(
      processes.map(({ environment }) => environment['TOCSIN_ROLES'] ?? '').toSorted(),
      [...roles].toSorted(),
    );
    assert.deepEqual(
      services.filter((one) => !processes.includes(one)).map(({ name }) => name),
      ['database'],
    );
  });

  it('asks for the three secrets, and holds none', () => {
    for (const name of Object.keys(secrets))
      assert.throws(() => readCompose({ ...secrets, [name]: '' }), new RegExp(name));
  });

  for (const { name, environment, settings } of processes) {
    it(`gives ${name} only variables that there are, with values that the configuration takes`, () => {
      assert.deepEqual(
        Object.keys(environment).filter((variable) => !(variable in configVariables)),
        [],
      );
      const config = readConfig({ ...image.environment, ...environment });
      assert.deepEqual(config.roles, [name as Role]);
      assert.equal(config.secretKey, secrets.SECRET_KEY);
      assert.ok(config.database.kind === 'postgres');
      const { host, port, database, user, password } = config.database.address;
      assert.deepEqual([host, port, database, user], ['database', 5432, 'tocsin', 'tocsin']);
      assert.equal(password, secrets.DATABASE_PASSWORD);
    });

    it(`starts ${name} again, bounds it, gives it time to stop, and lets it write nowhere but in memory`, () => {
      assert.equal(settings['restart'], 'unless-stopped');
      assert.equal(settings['read_only'], true);
      assert.ok(Number.parseInt(textAt(settings, 'stop_grace_period'), 10) >= 15);
      assert.deepEqual(Object.keys(fieldsAt(settings, 'deploy', 'resources', 'limits')), ['cpus', 'memory']);
      const { TOCSIN_DATA_DIR = '', NODE_COMPILE_CACHE = '' } = { ...image.environment, ...environment };
      const written = textsOf(settings['tmpfs']);
      for (const path of [TOCSIN_DATA_DIR, NODE_COMPILE_CACHE]) {
        assert.ok(written.includes(`${path}:uid=${image.uid},gid=${image.uid},mode=0700`), path);
      }
    });
  }

  it('lets only the API, runners and deliverers out of the network of the database', () => {
    assert.equal(at(whole, 'networks', 'inside', 'internal'), true);
    const outside = services.filter(({ settings }) => textsOf(settings['networks']).includes('outside'));
    assert.deepEqual(outside.map(({ name }) => name).toSorted(), ['api', 'deliverer', 'runner']);
    for (const { settings } of services) assert.ok(textsOf(settings['networks']).includes('inside'));
  });

  it('keeps the database in a volume, and makes role and database from the file that is there', () => {
    const database = services.find(({ name }) => name === 'database');
    const mounts = textsOf(database?.settings['volumes']);
    assert.deepEqual(Object.keys(fieldsAt(whole, 'volumes')), [mounts[0]?.split(':')[0]]);
    assert.match(mounts[1] ?? '', /^\.\/create-database\.sql:\/docker-entrypoint-initdb\.d\/.*:ro$/);
  });
});

const compose = succeeds('docker', 'compose', 'version');

test(`compose itself takes both compose files (${compose ? 'docker compose config' : 'docker compose is not here: read as YAML'})`, () => {
  for (const path of ['compose.yaml', composePath]) {
    assert.equal(readYaml(path).length, 1);
    if (!compose) continue;
    const { status, stderr } = spawnSync('docker', ['compose', '-f', root + path, 'config', '--quiet'], {
      encoding: 'utf8',
      env: { ...plainEnvironment(), ...secrets },
    });
    assert.equal(status, 0, stderr);
  }
});
