// Resource files by the command line, against a running server: plans, drift, errors with places, exports.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '../support/service/one-process.ts';
import { hasTerminal, startOnTerminal } from '../support/service/client-command.ts';
import { apiKey, newAccount, type Service } from '../support/service/service.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { type CommandOutput, paste, runCommand } from '../support/service/command.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';

function folderWith(t: Cleanup, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Runs commands in a folder, for the default account or another one. */
function clientIn(folder: string, { address }: Pick<Service, 'address'>, more: NodeJS.ProcessEnv = {}) {
  const environment = {
    TOCSIN_URL: address,
    TOCSIN_API_KEY: apiKey,
    TOCSIN_ACCOUNT: '',
    SHOP_TOKEN: 'quietword',
    WORD: 'softword',
    ...more,
  };
  return async (...words: readonly string[]): Promise<CommandOutput> => {
    const said = await runCommand(words, environment, folder);
    assert.doesNotMatch(said.out + said.err, /quietword/);
    return said;
  };
}

const shop = `project: shop
variables:
  SHOP_TOKEN: { value: "\${env:SHOP_TOKEN}", secret: true }
alertChannels:
  ops: { type: WEBHOOK, config: { name: Operations, url: "http://127.0.0.1:9/ops" } }
checks:
  home:
    checkType: URL
    name: Home page
    frequency: 1440
    request: { url: "http://127.0.0.1:9/" }
    alertChannels: [ops]
  backup:
    checkType: HEARTBEAT
    name: Backup
    heartbeat: { period: 1, periodUnit: days, grace: 30, graceUnit: minutes }
`;

/** A PNG image of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pages = `project: pages
statusServices:
  shop: { name: Shop, tags: [shop] }
statusPages:
  main:
    name: Example status
    url: files-example
    visibility: PASSWORD
    password: "\${env:PAGE_PASSWORD}"
    logoFile: logo.png
    customDomain: status.shop.example
    themeColors: { light: "#0a5c36" }
    texts: { headline.operational: All is well }
    cards: [{ name: Online, services: [shop] }]
`;
const exportedPage = `statusPages:
  main:
    name: Example status
    url: files-example
    customDomain: status.shop.example
    visibility: PASSWORD
    password: "\${env:MAIN_PASSWORD}"
    themeColors:
      light: "#0a5c36"
    logoFile: images/main-logo.png
    texts:
      headline.operational: All is well
    cards:
      - name: Online
        services: [shop]
`;

describe('resource files', { concurrency: 3 }, ({ it }) => {
  it('are applied once, show what was changed since, and are applied again', async (t, service) => {
    const other = await newAccount(service, 'Applied');
    const folder = folderWith(t, { 'tocsin.yaml': shop });
    const tocsin = clientIn(folder, service, { TOCSIN_ACCOUNT: other.id });
    const asked = await tocsin('apply', '-f', 'tocsin.yaml');
    assert.deepEqual([asked.code, /add --yes to apply/.test(asked.err)], [1, true], asked.err);
    assert.deepEqual(await other.must('GET', '/v1/checks'), []);
    const first = await tocsin('apply', '-f', 'tocsin.yaml', '--yes');
    assert.equal(first.code, 0, first.err);
    assert.match(
      first.out,
      /^\+ variable SHOP_TOKEN\n\+ alert channel ops "Operations"\n\+ check home "Home page"\n\+ check backup "Backup"\n\n4 to create\.\nApplied to project shop: 4 created\.\nPing URL of backup: http\S+\n$/,
    );
    const same = await tocsin('diff', '-f', '.');
    assert.deepEqual(
      [same.code, same.out],
      [0, 'No changes: project shop matches the files (4 resources).\n'],
      same.err,
    );

    const checks = (await other.must('GET', '/v1/checks?search=home')) as unknown as { id: string }[];
    await other.must('PUT', `/v1/checks/${checks[0]?.id}`, { frequency: 60, muted: true });
    const drift = await tocsin('diff', '-f', '.');
    assert.deepEqual(
      [drift.code, drift.out],
      [2, '~ check home "Home page"\n    muted true → false\n    frequency 60 → 1440\n\n1 to change.\n'],
    );
    const json = await tocsin('diff', '-f', '.', '--json');
    assert.deepEqual([json.code, JSON.parse(json.out).diff[0].logicalId], [2, 'home']);
    const filled = '    description: "Token ${env:WORD}"\n    alertChannels';
    writeFileSync(join(folder, 'tocsin.yaml'), shop.replace('    alertChannels', filled));
    assert.equal((await tocsin('apply', '-f', '.', '--yes')).code, 0);
    const secret = clientIn(folder, service, { TOCSIN_ACCOUNT: other.id, SHOP_TOKEN: 'quietword2', WORD: 'otherword' });
    const differs = await secret('diff', '-f', '.');
    assert.match(differs.out, /^~ variable SHOP_TOKEN: value \*\*\*$/m);
    assert.match(differs.out, /^~ check home "Home page": description \*\*\*$/m);
    const { out } = await secret('diff', '-f', '.', '--json');
    assert.doesNotMatch(differs.out + out, /softword|otherword/);
    writeFileSync(join(folder, 'tocsin.yaml'), shop);

    writeFileSync(join(folder, 'tocsin.yaml'), shop.slice(0, shop.indexOf('  backup:')));
    const kept = await tocsin('apply', '-f', '.', '--yes');
    assert.match(
      kept.out,
      /^! check backup "Backup" is not in the files; --prune deletes it\n\n1 to change\.\nApplied .*: 1 changed\.$/m,
    );
    const pruned = await tocsin('apply', '-f', '.', '--yes', '--prune');
    assert.match(pruned.out, /^- check backup "Backup"\n\n1 to delete\.\nApplied to project shop: 1 deleted\.\n$/);
  });

  it('that are wrong change nothing and name file, line and column', async (t, service) => {
    const other = await newAccount(service, 'Wrong');
    const folder = folderWith(t, {
      'a.yaml': shop.replace('    frequency: 1440', '    frequenzy: 1440'),
      'b/c.yaml':
        'checks:\n  more: { checkType: URL, name: More, request: { url: ftp://x }, scriptFile: ../../secret }\n',
    });
    const tocsin = clientIn(folder, service, { TOCSIN_ACCOUNT: other.id });
    const outside = await tocsin('apply', '-f', '.', '--yes');
    assert.equal(outside.code, 1);
    assert.match(
      outside.err,
      /^tocsin: the files have a problem:\nb\/c\.yaml:2:78: \S+ is outside of the folder of the files$/m,
    );
    writeFileSync(
      join(folder, 'b/c.yaml'),
      'checks:\n  more:\n    checkType: URL\n    name: More\n    request: { url: ftp://x }\n',
    );
    const wrong = await tocsin('apply', '-f', '.', '--yes');
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.err,
      /^tocsin: the files have 2 problems:\na\.yaml:10:5: unknown field; did you mean "frequency"\?\n {2}10 \| {5}frequenzy: 1440\n {5}\| {5}\^$/m,
    );
    assert.match(wrong.err, /^b\/c\.yaml:5:21: request\.url must be an absolute http or https URL/m);
    assert.deepEqual(await other.must('GET', '/v1/checks'), []);
    const values =
      'variables:\n  more: { value: "${env:SHOP_TOKEN}" }\nchecks:\n  more:\n    group: "${env:SHOP_TOKEN}"\n';
    writeFileSync(join(folder, 'b/c.yaml'), values);
    const hidden = await tocsin('diff', '-f', '.');
    assert.match(hidden.err, /^b\/c\.yaml:5:12: there is no check group "\*\*\*" in these files$/m);
    writeFileSync(join(folder, 'b/c.yaml'), 'checks: {}\n');
    const unnamed = await tocsin('diff', '-f', 'b/c.yaml');
    assert.deepEqual([unnamed.code, /does not name its project/.test(unnamed.err)], [1, true], unnamed.err);
    const missing = await tocsin('diff', '-f', 'nothing.yaml');
    assert.deepEqual([missing.code, missing.err], [1, 'tocsin: nothing.yaml does not exist\n']);
  });

  it('have status pages with images and a password, and name the place of what is wrong', async (t, service) => {
    const other = await newAccount(service, 'Pages');
    const folder = folderWith(t, { 'tocsin.yaml': pages, 'logo.png': pixel });
    const tocsin = clientIn(folder, service, { TOCSIN_ACCOUNT: other.id, PAGE_PASSWORD: 'quietword' });
    const first = await tocsin('apply', '-f', '.', '--yes');
    assert.match(first.out, /^\+ status page main "Example status"$/m, first.err);
    assert.equal((await tocsin('diff', '-f', '.')).code, 0);
    const changed = clientIn(folder, service, { TOCSIN_ACCOUNT: other.id, PAGE_PASSWORD: 'quietword2' });
    const differs = await changed('diff', '-f', '.');
    assert.deepEqual(
      [differs.code, /^~ status page main "Example status": password \*\*\*$/m.test(differs.out)],
      [2, true],
    );

    const said = await tocsin('export', '--project', 'pages', '-o', 'out');
    assert.match(said.err, /^ {2}MAIN_PASSWORD {2}statusPages\.main\.password$/m);
    assert.deepEqual(readFileSync(join(folder, 'out/images/main-logo.png')), Buffer.from(pixel));
    const exported = clientIn(folder, service, { TOCSIN_ACCOUNT: other.id, MAIN_PASSWORD: 'quietword' });
    assert.deepEqual(
      [(await exported('diff', '-f', 'out')).code, readFileSync(join(folder, 'out/status-pages.yaml'), 'utf8')],
      [0, exportedPage],
    );

    const wrong = pages
      .replace('headline.operational', 'headline.operationl')
      .replace('#0a5c36', '#ffff00')
      .replace('status.shop.example', 'localhost');
    writeFileSync(join(folder, 'tocsin.yaml'), wrong);
    const { err } = await tocsin('diff', '-f', 'tocsin.yaml');
    assert.match(err, /^tocsin\.yaml:13:14: unknown field; did you mean "headline\.operational"\?$/m);
    assert.match(err, /^tocsin\.yaml:11:19: customDomain must be a host name, such as status\.example\.com$/m);
    writeFileSync(
      join(folder, 'tocsin.yaml'),
      wrong.replace('operationl', 'operational').replace('localhost', 'shop.example'),
    );
    const pale = await tocsin('diff', '-f', 'tocsin.yaml');
    assert.match(pale.err, /^tocsin\.yaml:12:27: themeColors\.light has a contrast of 1\.1 with the light background/m);
  });

  it('are applied on a terminal only if the person agrees', async (t, service) => {
    if (!hasTerminal(t)) return;
    const other = await newAccount(service, 'Asked');
    const path = join(folderWith(t, { 'tocsin.yaml': shop }), 'tocsin.yaml');
    const environment = {
      TOCSIN_URL: service.address,
      TOCSIN_API_KEY: apiKey,
      TOCSIN_ACCOUNT: other.id,
      SHOP_TOKEN: 'quietword',
      WORD: 'softword',
    };
    for (const [keys, code] of [
      ['\u0003', 1],
      ['\r', 1],
      ['y\r', 0],
    ] as const) {
      const apply = startOnTerminal(t, `apply -f ${path}`, environment);
      await apply.sees('Apply? [y/N] ');
      apply.type(keys);
      assert.equal(await apply.ended, code, apply.said());
      assert.match(
        apply.said(),
        code === 0 ? /Applied to project shop: 4 created\./ : /\r\ntocsin: nothing was changed\r\n/,
      );
    }
    assert.equal(((await other.must('GET', '/v1/checks')) as unknown as object[]).length, 2);
  });

  it('take ten lines from an empty folder to an applied check', async (t, service) => {
    const other = await newAccount(service, 'Documented');
    const environment = { TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey, TOCSIN_ACCOUNT: other.id };
    const lines = blockOf(readPage('docs/monitoring-as-code.md'), 'sh', 'files');
    assert.ok(lines.trimEnd().split('\n').length <= 10);
    const said = await paste(lines, folderWith(t, {}), environment);
    assert.match(said.out, /Applied to project shop: 1 created\.\nNo changes: /, said.err);
    assert.equal(said.code, 0);
  });

  it('are exported without secrets, and are the same account elsewhere', async (t, service) => {
    const [from, to] = [await newAccount(service, 'From'), await newAccount(service, 'To')];
    const folder = folderWith(t, { 'in.yaml': shop });
    const tocsin = clientIn(folder, service, { TOCSIN_ACCOUNT: from.id });
    await from.must('POST', '/v1/checks/multistep', {
      name: 'Flow',
      frequency: 1440,
      activated: false,
      script: "import { test } from '@playwright/test';\ntest('costs $${x}', async () => {});\n",
    });
    assert.equal((await tocsin('apply', '-f', 'in.yaml', '--yes')).code, 0);
    const said = await tocsin('export', '-o', 'out');
    assert.equal(said.code, 0, said.err);
    assert.match(said.err, /^Secrets are not exported.*\n {2}SHOP_TOKEN {2}variables\.SHOP_TOKEN\.value$/m);
    assert.match(readFileSync(join(folder, 'out/scripts/flow.ts'), 'utf8'), /costs \$\$\{x\}/);
    const elsewhere = clientIn(folder, service, { TOCSIN_ACCOUNT: to.id });
    const moved = await elsewhere('apply', '-f', 'out', '--project', 'moved', '--yes');
    assert.match(moved.out, /^Applied to project moved: 5 created\.$/m, moved.err);
    assert.equal((await elsewhere('diff', '-f', 'out', '--project', 'moved')).code, 0);
    const part = await tocsin('export', '--project', 'shop');
    assert.match(part.out, /^project: shop\n\nvariables:\n/);
    assert.doesNotMatch(part.out, /Flow/);
    const one = await tocsin('export', '--check', 'Home page');
    assert.match(one.out, /^checks:\n {2}home:\n {4}checkType: URL\n/);
  });
});
