// What the pages name exists: links, operations, variables, metrics, scripts; JSON of requests is what the contract takes.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { channelRules } from '#channels/rules.ts';
import { checkKinds } from '#checks/check-kinds.ts';
import { clientVariables, configVariables } from '#config/variables.ts';
import { type Faults, parseReporting } from '#lib/schema/faults.ts';
import { Patch } from '#lib/schema/patch.ts';
import { everyOperation, operationOf, operations, type OperationId } from '#contract/operations.ts';
import { alertTypes } from '#domain/alerts/alert.ts';
import { deliveryStatuses } from '#domain/deliveries/delivery.ts';
import type { JsonObject } from '#domain/json.ts';
import { outcomes } from '#domain/results/result.ts';
import { metricNames } from './support/service/metric-names.ts';
import { allPages, blockOf, readPage, type Page } from './support/pages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = allPages();
const userPages = pages.filter(({ path }) => !path.includes('decisions/'));
const scripts = (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> })
  .scripts;

test('there are pages to look at', () => {
  const paths = pages.map(({ path }) => path);
  for (const path of ['README.md', 'docs/README.md', 'docs/webhooks.md', 'docs/glossary.md', 'SECURITY.md']) {
    assert.ok(paths.includes(path), path);
  }
  assert.ok(pages.length >= 25, `${pages.length} pages`);
});

test('every file of the sources that a page names exists', () => {
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|tests|bench|web|tooling|deploy|runtimes)\/[\w./-]+)`/g)].map(([, file = '']) => ({
      path,
      file,
    })),
  );
  assert.ok(named.length > 100, `${named.length} names`);
  // A number that the reader chooses, and a file that the page says to make.
  const isThere = (file: string): boolean => /\/(?:NNNN-|\.env$)/.test(file) || existsSync(root + file);
  assert.deepEqual(
    named.filter(({ file }) => !isThere(file)),
    [],
  );
});

test('no fenced block is indented: such a block would not be read by these tests', () => {
  assert.deepEqual(
    pages.filter(({ text }) => /^[ \t]+```/m.test(text)).map(({ path }) => path),
    [],
  );
});

/** Links of a page that lead nowhere. */
function brokenLinks({ path, links }: Page): string[] {
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : posix.join(posix.dirname(path), file);
    if (!existsSync(root + target)) return true;
    return anchor !== undefined && !readPage(target).anchors.has(anchor);
  });
}

describe('every link leads somewhere', () => {
  for (const page of pages) it(page.path, () => assert.deepEqual(brokenLinks(page), []));
});

test('every page of docs/ is listed in its index', () => {
  const index = readPage('docs/README.md').links;
  const missing = userPages.filter(({ path }) => path.startsWith('docs/') && path !== 'docs/README.md');
  assert.deepEqual(
    missing.filter(({ path }) => !index.includes(path.slice('docs/'.length))).map(({ path }) => path),
    [],
  );
});

test('every decision is listed in its index', () => {
  const index = readPage('docs/decisions/README.md').links;
  const decisions = pages.filter(({ path }) => /decisions\/\d{4}/.test(path)).map(({ path }) => posix.basename(path));
  assert.deepEqual(
    decisions.filter((name) => !index.includes(name)),
    [],
  );
});

test('every decision has a number of its own', () => {
  const numbers = pages.flatMap(({ path }) => /decisions\/(\d{4})/.exec(path)?.[1] ?? []);
  assert.deepEqual([...new Set(numbers)], numbers);
  assert.ok(numbers.length >= 20, `${numbers.length} decisions`);
});

test('every decision says its status, context, decision and consequences', () => {
  for (const { path, text, anchors } of pages.filter(({ path }) => /decisions\/\d{4}/.test(path))) {
    assert.match(text, /^\*\*Status:\*\* (accepted|superseded by)/m, path);
    for (const anchor of ['context', 'decision', 'consequences']) assert.ok(anchors.has(anchor), `${path}: ${anchor}`);
    assert.ok(text.split('\n').length <= 60, `${path} is longer than a page`);
  }
});

/** Names that look like configuration variables: those of clients for the key and address, and of tests. */
const otherNames = new Set([...clientVariables, 'TOCSIN_TEST_POSTGRES']);

describe('every configuration variable that a page names exists', () => {
  for (const { path, text } of userPages) {
    const named = new Set(text.match(/\bTOCSIN_[A-Z_]*[A-Z]/g));
    it(path, () => {
      assert.deepEqual(
        [...named].filter(
          (name) => !(name in configVariables) && !otherNames.has(name) && !name.startsWith('TOCSIN_FILE'),
        ),
        [],
      );
    });
  }
});

describe('every npm script that a page names exists', () => {
  for (const { path, text } of pages) {
    const named = new Set([...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    it(path, () =>
      assert.deepEqual(
        [...named].filter((name) => !(name in scripts)),
        [],
      ),
    );
  }
});

test('the metrics that pages name are those there are', () => {
  const named = new Set(userPages.flatMap(({ text }) => text.match(/\b(?:tocsin|process)_[a-z_]+[a-z]\b/g) ?? []));
  assert.deepEqual([...named].toSorted(), metricNames().toSorted());
});

const paths = new Set(everyOperation().map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`));

describe('every operation that a page names exists', () => {
  for (const { path, text } of userPages) {
    const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)[^`]*`/g)].map(
      ([, method, target = '']) => `${method} ${target.replaceAll(/\{\w+\}/g, '{}')}`,
    );
    it(path, () =>
      assert.deepEqual(
        named.filter((operation) => !paths.has(operation)),
        [],
      ),
    );
  }
});

/** What an operation finds wrong with a body, rules beyond its shape included where a page shows whole ones. */
function faultsOf(id: OperationId, body: unknown): object {
  const schema = operationOf(id).body;
  assert.ok(schema, `${id} takes no body`);
  const faults: Faults = {};
  const parsed = parseReporting(schema, body, faults, { what: 'field', nearest: () => null });
  if (parsed === undefined) return faults;
  const { config, type = 'WEBHOOK', ...settings } = parsed as { config?: JsonObject; type?: string };
  if (config instanceof Patch) return {};
  if (config !== undefined) return channelRules.validateConfig(type, config, new Set());
  const kind = checkKinds.find(({ schema }) => id === `create${schema.name}Check`);
  return kind?.validateSettings(settings) ?? [];
}

describe('every request shown in JSON is one that its operation takes', () => {
  const shown = pages.flatMap(({ path, blocks }) =>
    blocks.filter(({ info }) => info[0] === 'json').map(({ info, text }) => ({ path, id: info[1] ?? '', info, text })),
  );
  assert.ok(shown.length >= 10, `${shown.length} blocks`);
  for (const { path, id, info, text } of shown.filter(({ id }) => id !== 'default-body')) {
    it(`${path}: ${id} ${text.slice(0, 40).replaceAll(/\s+/g, ' ')}`, () => {
      assert.ok(id in operations, `mark the block with the id of its operation, not ${info.join(' ')}`);
      assert.deepEqual(Object.keys(faultsOf(id as OperationId, JSON.parse(text))), []);
    });
  }
});

describe('every example of the API document is a body that its operation takes', () => {
  for (const { id, example } of everyOperation()) {
    if (example !== undefined) it(id, () => assert.deepEqual(Object.keys(faultsOf(id, example)), []));
  }
});

test('every field of an API check is explained', () => {
  const [, table = ''] = readPage('docs/api-checks.md').text.split('## Every field');
  const document = JSON.parse(readFileSync(`${root}tests/rest/openapi.json`, 'utf8')) as {
    components: { schemas: Record<string, { properties?: object }> };
  };
  const { ApiCheckCreate: check, ApiRequestWrite: request } = document.components.schemas;
  const fields = [...Object.keys(check?.properties ?? {}), ...Object.keys(request?.properties ?? {})];
  assert.ok(fields.length > 30, `${fields.length} fields`);
  assert.deepEqual(
    fields.filter((name) => !table.includes(`\`${name}\``) && name !== 'checkType'),
    [],
  );
});

/** The members of a union of texts, as its file writes them. */
function unionOf(path: string, type: string): string[] {
  const declaration = new RegExp(`export type ${type} =([^;]*);`).exec(readFileSync(root + path, 'utf8'))?.[1] ?? '';
  return [...declaration.matchAll(/'([\w-]+)'/g)].map(([, member = '']) => member);
}

/** The kinds of notices, as the files that make them write them. */
function noticeKinds(): string[] {
  const makers = [
    'src/actions/operating/notices.ts',
    'src/actions/checks/runtime-ends.ts',
    'src/actions/checks/missing-browsers.ts',
    'src/actions/checks/silent-locations.ts',
    'src/app/scripts/installed-runtimes.ts',
  ];
  const written = makers.map((path) => readFileSync(root + path, 'utf8')).join('\n');
  return [...written.matchAll(/\bkind: '([\w-]+)'/g)].map(([, kind = '']) => kind);
}

describe('every word of a closed list is explained', () => {
  const lists = [
    ['kinds of notices', noticeKinds(), 'docs/operating.md'],
    ['reasons of results', unionOf('src/domain/results/result.ts', 'Reason'), 'docs/checks.md'],
    ['outcomes of results', outcomes, 'docs/checks.md'],
    ['types of alerts', alertTypes, 'docs/webhooks.md'],
    ['states of deliveries', deliveryStatuses, 'docs/webhooks.md'],
    ['errors of attempts', unionOf('src/domain/deliveries/delivery.ts', 'AttemptError'), 'docs/webhooks.md'],
  ] as const;
  for (const [what, words, path] of lists) {
    it(what, () => {
      const { text } = readPage(path);
      assert.ok(words.length >= 5, `${words.length} ${what}`);
      assert.deepEqual(
        words.filter((word) => !text.includes(`\`${word}\``)),
        [],
      );
    });
  }
});

test('every log line that a page names is written somewhere', () => {
  const [, table = ''] = readPage('docs/operating.md').text.split('## Logs');
  const named = [...(table.split('## ')[0] ?? '').matchAll(/`([a-z]+\.[a-z-]+)`/g)].map(([, name = '']) => name);
  const source = globSync('src/**/*.ts', { cwd: root }).map((path) => readFileSync(root + path, 'utf8'));
  assert.ok(named.length >= 8, named.join(' '));
  assert.deepEqual(
    named.filter((name) => !source.some((text) => text.includes(`'${name}'`))),
    [],
  );
});

test('README shows the whole of the first alert', () => {
  assert.equal(blockOf(readPage('README.md'), 'sh', 'first-alert').split('\n').length, 5);
});

/** What comments cite of a page: `decisions: …`, `design: …`, `design §2`, `reference §4.7`; lines of a comment joined. */
function citationsOf(what: string): string[] {
  const pattern = new RegExp(String.raw`\b${what}(?:: ([^;)\n]+?)(?=[;)\n]|\. |\*/)| (§[\d.]*\d))`, 'g');
  const found = globSync('{src,tests}/**/*.ts', { cwd: root })
    .filter((path) => path !== 'tests/docs.test.ts')
    .flatMap((path) => {
      const joined = readFileSync(root + path, 'utf8').replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' ');
      return [...joined.matchAll(pattern)].map(([, name, section]) => (name ?? section ?? '').trim());
    });
  assert.ok(found.length >= 10, `${found.length} citations of ${what}`);
  return [...new Set(found)];
}

test('every decision that a comment cites by its heading is in the table of the decisions', () => {
  const table = readPage('docs/decisions/README.md').tables.find(({ head }) => head[0] === 'Cited as');
  const headings = (table?.rows ?? []).map(([heading = '']) => heading).toSorted((a, b) => b.length - a.length);
  assert.ok(headings.length >= 40, `${headings.length} headings`);
  /** Several are joined by commas, which some headings have themselves. */
  const isKnown = (cited: string): boolean =>
    cited === '' ||
    /^spec §[\d.]+$/.test(cited) ||
    headings.some(
      (heading) => cited === heading || (cited.startsWith(`${heading}, `) && isKnown(cited.slice(heading.length + 2))),
    );
  assert.deepEqual(
    citationsOf('decisions').filter((cited) => !isKnown(cited)),
    [],
  );
});

for (const [what, path] of [
  ['design', 'docs/architecture.md'],
  ['reference', 'docs/reference.md'],
] as const) {
  test(`every section and word of ${path} that a comment cites is there`, () => {
    const { text } = readPage(path);
    const words = text.toLowerCase().replaceAll(/\s+/g, ' ').replaceAll('`', '');
    const sections = new Set([...text.matchAll(/^## §?([\d.]+) /gm)].map(([, section]) => `§${section}`));
    const isThere = (cited: string): boolean =>
      cited.startsWith('§')
        ? sections.has(cited.split(/[,:\s]/)[0] ?? '')
        : words.includes(cited.toLowerCase()) || cited.split(', ').every((part) => words.includes(part.toLowerCase()));
    assert.deepEqual(
      citationsOf(what).filter((cited) => !isThere(cited)),
      [],
    );
  });
}

test('every record that a comment cites by its number exists', () => {
  const numbers = new Set(
    globSync('docs/decisions/*.md', { cwd: root }).map((path) => posix.basename(path).slice(0, 4)),
  );
  const cited = globSync('{src,tests,bench}/**/*.ts', { cwd: root }).flatMap((path) =>
    [...readFileSync(root + path, 'utf8').matchAll(/docs\/decisions\/(\d{4})/g)].map(([, number = '']) => number),
  );
  assert.ok(cited.length >= 8, `${cited.length} citations`);
  assert.deepEqual(
    cited.filter((number) => !numbers.has(number)),
    [],
  );
});
