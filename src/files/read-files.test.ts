// Resource files become declarations, and what is wrong with them is shown at its line.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FileProblemsError } from './file-problem.ts';
import { loadFiles } from './load-files.ts';
import { type Declaration, isFromEnvironment, problemsOf, readFiles } from './read-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'tocsin-files-'));
after(() => rmSync(folder, { recursive: true }));

const read = (
  texts: Readonly<Record<string, string>> | string,
  environment: Record<string, string> = {},
): Declaration =>
  readFiles(
    Object.entries(typeof texts === 'string' ? { 'a.yaml': texts } : texts).map(([path, text]) => ({ path, text })),
    {
      environment: (name) => environment[name],
      readText: (from, path) => {
        if (path === 'gone.ts') throw new Error('gone.ts does not exist');
        return `// ${path} of ${from}`;
      },
      readBytes: (_from, path) => Buffer.from(path === 'logo.png' ? '89504e470d0a1a0a' : '3c737667', 'hex'),
    },
  );

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof FileProblemsError) return error.message;
    throw error;
  }
  return '';
};

const shop = `project: shop
x-common: &common
  frequency: 1
  tags: [shop]
variables:
  SHOP_URL: https://shop.example
  PORT: 8080
  TOKEN: { value: "\${env:SHOP_TOKEN}", secret: true }
alertChannels:
  ops: { type: EMAIL, config: { address: ops@example.com } }
checkGroups:
  web: { name: Web shop, alertChannels: [ops] }
checks:
  home:
    <<: *common
    checkType: URL
    name: Home page
    frequency: 5
    request: { url: https://shop.example/ }
    group: web
    dependsOn: [flow, 00000000-0000-4000-8000-000000000000]
    alertChannelSubscriptions: [{ alertChannelId: ops, escalationMinutes: 10 }, { alertChannelId: 7 }]
  flow: { checkType: MULTI_STEP, name: Flow, scriptFile: flow.ts, group: 12 }
maintenanceWindows:
  nights:
    { name: Nights, checks: [home], groups: [web], startsAt: 2030-01-01T00:00:00Z, endsAt: 2030-01-01T01:00:00Z }
`;

test('a file becomes resources with references, values of the environment and the texts of files', () => {
  const { project, resources } = read(shop, { SHOP_TOKEN: 'hush: "hush"\\n- a' });
  assert.equal(project, 'shop');
  assert.deepEqual(
    resources.map(({ type, logicalId, payload }) => [type, logicalId, payload]),
    [
      ['variable', 'SHOP_URL', { value: 'https://shop.example', key: 'SHOP_URL' }],
      ['variable', 'PORT', { value: '8080', key: 'PORT' }],
      ['variable', 'TOKEN', { value: 'hush: "hush"\\n- a', secret: true, key: 'TOKEN' }],
      ['alert-channel', 'ops', { type: 'EMAIL', config: { address: 'ops@example.com' } }],
      ['check-group', 'web', { name: 'Web shop', alertChannelSubscriptions: [{ alertChannelId: { ref: 'ops' } }] }],
      [
        'check',
        'home',
        {
          tags: ['shop'],
          checkType: 'URL',
          name: 'Home page',
          frequency: 5,
          request: { url: 'https://shop.example/' },
          groupId: { ref: 'web' },
          dependsOn: [{ ref: 'flow' }, '00000000-0000-4000-8000-000000000000'],
          alertChannelSubscriptions: [{ alertChannelId: { ref: 'ops' }, escalationMinutes: 10 }, { alertChannelId: 7 }],
        },
      ],
      ['check', 'flow', { checkType: 'MULTI_STEP', name: 'Flow', script: '// flow.ts of a.yaml', groupId: 12 }],
      [
        'maintenance-window',
        'nights',
        {
          name: 'Nights',
          checkIds: [{ ref: 'home' }],
          groupIds: [{ ref: 'web' }],
          startsAt: '2030-01-01T00:00:00Z',
          endsAt: '2030-01-01T01:00:00Z',
        },
      ],
    ],
  );
});

test('a page refers to services and images, and a service to checks and groups', () => {
  const { resources } = read(`checks:
  home: { checkType: URL, name: Home page, request: { url: https://shop.example/ } }
statusServices:
  shop: { name: Shop, checks: [home], groups: [7], tags: [shop] }
statusPages:
  main:
    name: Example status
    url: example
    logoFile: logo.png
    cards: [{ name: Online, services: [shop, 00000000-0000-4000-8000-000000000000] }]
`);
  assert.deepEqual(
    resources.slice(1).map(({ type, payload }) => [type, payload]),
    [
      ['status-service', { name: 'Shop', checkIds: [{ ref: 'home' }], groupIds: [7], tags: ['shop'] }],
      [
        'status-page',
        {
          name: 'Example status',
          url: 'example',
          logo: 'data:image/png;base64,iVBORw0KGgo=',
          cards: [{ name: 'Online', services: [{ ref: 'shop' }, '00000000-0000-4000-8000-000000000000'] }],
        },
      ],
    ],
  );
});

test('files that a script imports are read, and imports resolve between them', () => {
  const script = 'scriptFile: ./checks/flow.spec.ts';
  const check = (more: string): unknown =>
    read(`checks:\n  flow: { checkType: MULTI_STEP, name: Flow, ${script}, ${more} }`).resources[0]?.payload;
  const payload = { checkType: 'MULTI_STEP', name: 'Flow', script: '// ./checks/flow.spec.ts of a.yaml' };
  const dependencies = [
    { path: 'checks/page.ts', content: '// checks/page.ts of a.yaml' },
    { path: 'b.json', content: '{}' },
  ];
  assert.deepEqual(check('dependencies: [checks/page.ts, { path: b.json, content: "{}" }]'), {
    ...payload,
    dependencies,
    scriptPath: 'checks/flow.spec.ts',
  });
  assert.deepEqual(check('scriptPath: x.ts, dependencies: []'), { ...payload, scriptPath: 'x.ts', dependencies: [] });
  assert.match(
    messageOf(() => check('dependencies: [gone.ts]')),
    /gone\.ts does not exist/,
  );
});

test('every problem is shown at its line', () => {
  const cases: readonly (readonly [text: string, expected: RegExp])[] = [
    ['checks: {a: [}', /^a\.yaml:1:14: Flow sequence/],
    ['check:\n  a: {}', /^a\.yaml:1:1: unknown field "check"; did you mean "checks"\?\n {2}1 \| check:\n {4}\| \^$/],
    ['- a', /^a\.yaml:1:1: must be a map/],
    ['checks: 5', /^a\.yaml:1:9: checks must be a map/],
    ['checks:\n  a: b', /^a\.yaml:2:6: must be a map with the fields of a check/],
    ['checks:\n  a: {}\n  a: {}', /^a\.yaml:3:3: "a" is here twice; first in line 2/],
    ['checks:\n  a:\n    name: x\n    name: y', /^a\.yaml:4:5: "name" is here twice; first in line 3/],
    [
      'checks:\n  a: { group: web }\ncheckGroups:\n  wep: {}',
      /^a\.yaml:2:15: there is no check group "web" in these files; did you mean "wep"\?/,
    ],
    ['checks:\n  a: { alertChannels: [b, ops] }', /^a\.yaml:2:24: there is no alert channel "b"[^]*a\.yaml:2:27: /],
    ['checks:\n  a: { group: 1, groupId: 2 }', /^a\.yaml:2:18: groupId and another field both set groupId/],
    ['checks:\n  a: { scriptFile: gone.ts }', /^a\.yaml:2:20: gone\.ts does not exist/],
    [
      'statusPages:\n  a: { logoFile: logo.svg }',
      /^a\.yaml:2:18: logo\.svg must be a PNG, JPEG, GIF, WebP or ICO image/,
    ],
    [
      'statusPages:\n  a: { cards: [{ services: [shp] }] }\nstatusServices:\n  shop: {}',
      /^a\.yaml:2:29: there is no service of status pages "shp" in these files; did you mean "shop"\?/,
    ],
    ['checks:\n  a: { scriptFile: [] }', /^a\.yaml:2:20: must be the path of a file/],
    ['checks:\n  a:\n    name: ${env:NAME}', /^a\.yaml:3:11: the environment variable NAME is not set/],
    ['checks:\n  a: *b', /^a\.yaml:2:6: /],
    ['checks:\n  a: { x: .inf }', /^a\.yaml:2:11: must be a finite number/],
    ['project: [a]', /^a\.yaml:1:10: project must be a text/],
    ['project: a\n---\nproject: b', /^a\.yaml:2:1: /],
    ['checks:\n  "": {}', /^a\.yaml:2:3: a logical ID must have 1 to 255 characters/],
  ];
  for (const [text, expected] of cases)
    assert.match(
      messageOf(() => read(text)),
      expected,
      text,
    );
});

test('several files are one project, and a logical ID twice names both places', () => {
  const { project, resources } = read({
    'a.yaml': 'project: p\nchecks: {a: {}}',
    'b.yaml': 'checks: {b: {}}',
    'c.yaml': '',
  });
  assert.deepEqual([project, resources.map(({ logicalId }) => logicalId)], ['p', ['a', 'b']]);
  const twice = messageOf(() => read({ 'a.yaml': 'checks: {a: {}}', 'b.yaml': 'checks: {a: {}}' }));
  assert.match(twice, /^b\.yaml:1:10: there is already a check "a" in a\.yaml:1:10/);
  const other = messageOf(() => read({ 'a.yaml': 'project: p', 'b.yaml': 'project: q' }));
  assert.match(other, /^b\.yaml:1:1: another project than in a\.yaml:1:1/);
});

test('hostile files end with an error', () => {
  const levels = Array.from(
    { length: 30 },
    (_, level) => `x-${level}: &l${level} [${level === 0 ? '1' : `*l${level - 1}, *l${level - 1}`}]`,
  );
  assert.match(
    messageOf(() => read(levels.join('\n'))),
    /^a\.yaml:\d+:\d+: the files have more than 500000 values, aliases expanded/,
  );
  assert.match(
    messageOf(() => read(`x-a: ${'['.repeat(20_000)}`)),
    /^a\.yaml:1:\d+: /,
  );
  assert.match(
    messageOf(() => read(`x-a: ${'{a: '.repeat(100)}1${'}'.repeat(100)}`)),
    /nested more than 50 levels deep/,
  );
  const own = read('checks:\n  a: { "__proto__": { polluted: 1 }, constructor: 1 }').resources[0];
  assert.deepEqual(Object.keys(own?.payload ?? {}), ['__proto__', 'constructor']);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test('files are read up to their limits, and refused with the limit above them', () => {
  const nested = (levels: number): string => `x-a: ${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}`;
  /** A list of 1,000 values, and as often as it fits in another list. */
  const values = (count: number): string => {
    // The map, the values of two keys, and 1,000 items.
    const rest = count - 1003;
    return `x-a: &a [${'1, '.repeat(1000)}]\nx-b: [${'*a, '.repeat(rest / 1002)}${'1, '.repeat(rest % 1002)}]`;
  };
  const checks = (count: number): string =>
    `checks: { ${Array.from({ length: count }, (_, id) => `a${id}: {}`).join()} }`;
  const named = (length: number): string => `checks: { ${'a'.repeat(length)}: {} }`;
  for (const [of, most, message] of [
    [nested, 50, /is nested more than 50 levels deep/],
    [values, 500_000, /the files have more than 500000 values, aliases expanded/],
    [checks, 20_000, /the files declare 20001 resources; at most 20000/],
    [named, 255, /a logical ID must have 1 to 255 characters/],
  ] as const) {
    assert.equal(
      messageOf(() => read(of(most))),
      '',
      String(message),
    );
    assert.match(
      messageOf(() => read(of(most + 1))),
      message,
    );
  }
});

test('errors of the server are shown at the line of the field, or of what contains it', () => {
  const declaration = read(shop, { SHOP_TOKEN: 'x' });
  const at = (path: string, message = 'must be 1'): string =>
    problemsOf(declaration, { [path]: message })
      .map(({ message: text, place }) => `${place?.line}:${place?.column} ${text}`)
      .join();
  assert.equal(at('resources[5].payload.request.url'), '19:21 request.url must be 1');
  assert.equal(at('resources[5].payload.request.body'), '19:5 request.body must be 1');
  assert.equal(at('resources[5].payload.groupId'), '20:12 groupId must be 1');
  assert.equal(at('resources[5].payload.tags[0]'), '4:10 tags[0] must be 1');
  assert.equal(
    at('resources[4].payload.alertChannelSubscriptions[0].alertChannelId', 'is unknown'),
    '12:42 alertChannelSubscriptions[0].alertChannelId is unknown',
  );
  assert.equal(at('resources[6].payload.script', 'Syntax error'), '23:58 script Syntax error');
  assert.equal(
    at('resources[5].payload.frequency', 'unknown field; did you mean "x"?'),
    '18:5 unknown field; did you mean "x"?',
  );
  assert.equal(at('resources[2].logicalId'), '8:3 logicalId must be 1');
  assert.equal(at('prune'), 'undefined:undefined prune: must be 1');
});

test('a folder is read in the order of names, and nothing outside of it', () => {
  mkdirSync(join(folder, 'in/sub'), { recursive: true });
  mkdirSync(join(folder, 'in/.git'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'in/b.yml'), 'checks:\n  b: { scriptFile: ../secret.txt }');
  writeFileSync(join(folder, 'in/a.yaml'), 'checks:\n  a: { scriptFile: sub/a.ts }');
  writeFileSync(join(folder, 'in/sub/c.yaml'), 'checks:\n  c: { scriptFile: a.ts }\n  d: { scriptFile: link.ts }');
  writeFileSync(join(folder, 'in/.git/d.yaml'), 'checks: 1');
  writeFileSync(join(folder, 'in/sub/a.ts'), 'a');
  symlinkSync('../../secret.txt', join(folder, 'in/sub/link.ts'));
  const { sources, readText, readBytes } = loadFiles(join(folder, 'in'));
  const path = (name: string): string => join(folder, 'in', name);
  assert.deepEqual(
    sources.map((source) => source.path),
    ['a.yaml', 'b.yml', 'sub/c.yaml'].map(path),
  );
  assert.equal(readText(path('a.yaml'), 'sub/a.ts'), 'a');
  assert.equal(readText(path('sub/c.yaml'), 'a.ts'), 'a');
  const message = messageOf(() => readFiles(sources, { readText, readBytes, environment: () => undefined }));
  assert.match(message, /b\.yml:2:20: \.\.\/secret\.txt is outside of the folder of the files/);
  assert.match(message, /c\.yaml:3:20: link\.ts is a link that leaves the folder of the files/);
  assert.doesNotMatch(message, /\ba\.yaml/);
  for (const name of ['/etc/passwd', '../../secret.txt']) {
    assert.throws(() => readText(path('sub/c.yaml'), name), /outside|does not exist/);
  }
  assert.match(
    messageOf(() => loadFiles(join(folder, 'nothing'))),
    /nothing does not exist$/,
  );
});

test('values of the environment are in no message, and fields that have them are known', () => {
  const environment = { TOKEN: 'whisper', SHORT: '80' };
  const text = 'checks:\n  a: { name: "${env:TOKEN}", group: "${env:TOKEN}", tags: ["$${env:TOKEN}"] }\n';
  assert.match(
    messageOf(() => read(text, environment)),
    /no check group "\*\*\*" in these files/,
  );
  const files = read(text.replace('group: ', 'description: '), environment);
  const [problem] = problemsOf(files, { 'resources[0].payload.name': 'must not be whisper' });
  assert.equal(problem?.message, 'name must not be ***');
  const isFilled = (path: string): boolean => isFromEnvironment(files, { type: 'check', logicalId: 'a' }, path);
  assert.deepEqual(['name', 'description', 'tags[0]', 'tags'].map(isFilled), [true, true, false, false]);
});
