// The examples of docs/ do what the pages say: templates are rendered, assertions judged, snippets run.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { helpers } from '#channels/templates/helpers.ts';
import { presets } from '#channels/kinds/webhook/presets.ts';
import { renderWebhook } from '#channels/kinds/webhook/render.ts';
import { signatureHeaders } from '#channels/kinds/webhook/sign.ts';
import { compileAssertion } from '#checks/parts/assertions/assertion.ts';
import { comparisonsOf } from '#checks/parts/assertions/sources.ts';
import { evaluateAll } from '#checks/parts/assertions/evaluate.ts';
import type { Observation } from '#checks/parts/assertions/evaluator.ts';
import { sentence } from '#checks/parts/assertions/sentence.ts';
import { httpSources } from '#checks/parts/http/schema.ts';
import { type AlertFacts, systemVariableNames, systemVariables } from '#domain/deliveries/template-variables.ts';
import { blockOf, codeOf, readPage, type Page, type Table } from './support/pages.ts';

const webhooks = readPage('docs/webhooks.md');
const templates = readPage('docs/templates.md');
const channels = readPage('docs/channels.md');
const apiChecks = readPage('docs/api-checks.md');

/** The alert that every example of docs/templates.md shows. */
const alert: AlertFacts = {
  alertType: 'ALERT_FAILURE',
  deliveryId: '019cd7b3-2b02-7a55-9d10-6f7a8b9c0d1e',
  check: {
    id: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
    name: 'Cart "v2"',
    checkType: 'API',
    description: null,
    runbookUrl: null,
    notes: null,
    tags: ['shop', 'env:production'],
    url: 'https://shop.example/cart',
  },
  groupName: 'Shop',
  result: {
    id: '019cd7b3-2a00-7d11-8f60-3b1c2d4e5f60',
    message: 'expected a status below 400, got 503 Service Unavailable',
    responseTimeMs: 182.6,
    status: 503,
    statusText: 'Service Unavailable',
    startedAt: Date.parse('2026-03-10T12:00:05.000Z'),
    link: 'https://tocsin.example/results/AbC',
  },
  location: { code: 'local', name: 'Local' },
  ssl: null,
  incident: {
    id: '019cd7b3-2b01-7c44-9d10-5e6f7a8b9c0d',
    startedAt: Date.parse('2026-03-10T11:58:05.000Z'),
    isFirst: true,
    durationMs: 120_250,
    link: 'https://tocsin.example/acknowledge/AbC',
  },
  reminder: null,
  isTest: false,
};
const variables = { TEAM: 'night & day', LEVEL: '2', TEAM_HOST: 'team.example', ...systemVariables(alert) };
const facts = {
  createdAt: Date.parse('2026-03-10T12:00:05.250Z'),
  uuid: '6b1f0f0e-3d3c-4a55-9a51-1d2f3c4b5a69',
  randomNumber: 612,
  userAgent: 'Tocsin/0.0.0',
  timeZone: 'UTC',
};

function tablesWith(page: Page, ...head: readonly string[]): readonly Table[] {
  const found = page.tables.filter((table) => head.every((name, index) => table.head[index] === name));
  assert.ok(found.length > 0, `${page.path} has a table ${head.join(', ')}`);
  return found;
}

const examples = tablesWith(templates, 'Template', 'Gives').flatMap(({ rows }) =>
  rows.map(([template = '', gives = '']) => ({ template: codeOf(template), gives: codeOf(gives) })),
);

describe('a template of docs/templates.md gives what the page says', () => {
  for (const { template, gives } of examples) {
    it(template, () => {
      assert.equal(renderWebhook({ url: 'https://hooks.example/', template }, variables, facts).body, gives);
    });
  }
  for (const [url = '', target = ''] of tablesWith(templates, 'URL', 'Goes to').flatMap(({ rows }) => rows)) {
    it(url, () => assert.equal(renderWebhook({ url: codeOf(url) }, variables, facts).url, codeOf(target)));
  }
});

test('every helper has an example', () => {
  const called = new Set(examples.flatMap(({ template }) => template.match(/(?<=\{\{#?|\()[$\w]+/g) ?? []));
  const missing = [...helpers.keys(), '$UUID', '$RANDOM_NUMBER', 'REGION'].filter((name) => !called.has(name));
  assert.deepEqual(missing, []);
});

test('every preset is listed, by its name and for whom it is', () => {
  const [table] = tablesWith(templates, '`webhookType`', 'For');
  const listed = (table?.rows ?? []).map(([type = '', name = '']) => [codeOf(type), name]);
  assert.deepEqual(
    listed,
    presets.map(({ webhookType, name }) => [webhookType, name]),
  );
  const [services] = tablesWith(channels, 'Service', 'Channel');
  const named = new Set((services?.rows ?? []).flatMap(([names = '']) => names.split(', ')));
  assert.deepEqual(
    presets.map(({ name }) => name).filter((name) => !named.has(name)),
    [],
    'of docs/channels.md',
  );
});

test('every variable is explained', () => {
  const [table] = tablesWith(templates, 'Variable', 'Value');
  const explained = (table?.rows ?? []).flatMap(([names = '']) => names.match(/\w+/g) ?? []);
  assert.deepEqual(explained.toSorted(), [...systemVariableNames].toSorted());
});

test('the default body is the one shown', () => {
  const { body } = renderWebhook({ url: 'https://hooks.example/' }, systemVariables(alert), facts);
  assert.equal(JSON.stringify(JSON.parse(blockOf(webhooks, 'json', 'default-body'))), body);
});

const secret = 'a long random text';
const body = '{"text": "Grüße \\"🔥\\""}';
const signature = createHmac('sha256', secret).update(body).digest('hex');

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-docs-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the signature of a delivery is the one that the snippets compute', () => {
  const headers = signatureHeaders(
    { deliveryId: 'd', createdAt: 1, attempt: 1, replayOf: null, body, secret, previousSecret: null },
    facts.createdAt,
  );
  assert.deepEqual(headers.find(([name]) => name === 'x-service-signature')?.[1], signature);
});

test('the snippet for Node.js tells a genuine signature from a forged one', () => {
  inFolder((folder) => {
    const file = join(folder, 'verify.mjs');
    writeFileSync(file, blockOf(webhooks, 'js', 'verify'));
    const program = `import { isGenuine } from ${JSON.stringify(pathToFileURL(file).href)};
      const [body, signature, secret] = process.argv.slice(1);
      console.log([signature, signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), 'nonsense', undefined]
        .map((given) => isGenuine(Buffer.from(body), given, secret)).join());`;
    const args = ['--input-type=module', '-e', program, body, signature, secret];
    assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim(), 'true,false,false,false');
  });
});

test('the snippet for the shell tells a genuine signature from a forged one', (t) => {
  if (spawnSync('openssl', ['version']).error) return t.skip('there is no openssl on this machine');
  inFolder((folder) => {
    writeFileSync(join(folder, 'body.json'), body);
    const run = (given: string): string =>
      execFileSync('sh', ['-c', blockOf(webhooks, 'sh', 'verify')], {
        cwd: folder,
        env: { ...process.env, SECRET: secret, SIGNATURE: given },
        encoding: 'utf8',
      }).trim();
    assert.equal(run(signature), 'genuine');
    assert.equal(run(`0${signature.slice(1)}`.replace(/^00/, '10')), 'FORGED');
  });
});

const shownAnswer = blockOf(apiChecks, 'http', 'answer');
const [head = '', ...rest] = shownAnswer.split('\n\n');
const answer: Observation = {
  values: {
    STATUS_CODE: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    HEADERS: Object.fromEntries(
      [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    ),
    RESPONSE_TIME: 182.6,
  },
  text: () => rest.join('\n\n'),
};

/** The assertion that a row of a table writes down: source, comparison, property, target, regex. */
function judged(cells: readonly string[]): { passed: boolean; said: string } {
  const [source = '', comparison = '', property = '', target = '', regex = ''] = cells.map((cell) =>
    cell === '' ? '' : codeOf(cell),
  );
  const assertion = compileAssertion({ source, comparison, property, target, regex }, httpSources);
  if (typeof assertion === 'string') assert.fail(assertion);
  const [outcome] = evaluateAll([assertion], answer, { text: (text) => text, longest: 0 });
  assert.ok(outcome);
  return { passed: outcome.passed, said: sentence(assertion, outcome) };
}

const assertionHead = ['Source', 'Comparison', 'Property', 'Target', 'Regex'];
const holding = tablesWith(apiChecks, ...assertionHead, 'Holds when').flatMap(({ rows }) => rows);

describe('an assertion of docs/api-checks.md holds for the answer that the page shows', () => {
  for (const row of holding) it(row.slice(0, 5).join(' '), () => assert.ok(judged(row.slice(0, 5)).passed));

  it('and every comparison of every source has one', () => {
    const shown = new Set(holding.map(([source = '', comparison = '']) => `${codeOf(source)} ${codeOf(comparison)}`));
    const listed = new Set(holding.map(([, comparison = '']) => codeOf(comparison)));
    assert.deepEqual(
      Object.keys(comparisonsOf).filter((source) => ![...shown].some((pair) => pair.startsWith(`${source} `))),
      [],
    );
    assert.deepEqual(
      comparisonsOf('JSON_BODY').filter((comparison) => !listed.has(comparison)),
      [],
    );
  });
});

describe('a failed assertion of docs/api-checks.md says what the page says', () => {
  for (const row of tablesWith(apiChecks, ...assertionHead, 'Says').flatMap(({ rows }) => rows)) {
    it(row.slice(0, 5).join(' '), () => {
      const { passed, said } = judged(row.slice(0, 5));
      assert.equal(passed, false);
      assert.equal(said, codeOf(row[5] ?? ''));
    });
  }
});
