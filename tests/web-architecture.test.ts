// The web UI knows the server by its contract only, and its data flows one way: api, ui, pages, app.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { channelSchemas } from '#channels/schemas.ts';
import { checkSchemas } from '#checks/check-schemas.ts';
import { checkGroup } from '#contract/checks/check-group.ts';
import { resultPart } from '#contract/results/check-result.ts';
import { packageFolder } from '#lib/package-files.ts';

const rooms: Readonly<Record<string, readonly string[]>> = {
  'web/api': [],
  'web/styles': [],
  'web/ui': ['web/api'],
  'web/pages': ['web/api', 'web/ui'],
  'web/app': ['web/api', 'web/pages', 'web/styles', 'web/ui'],
};

/** `web/ui`, and of a page its own folder. */
const roomOf = (path: string): string => path.split('/').slice(0, 2).join('/');

const files = globSync('web/*/**/*.{ts,tsx}', { cwd: packageFolder, exclude: ['**/*.test.ts'] });

const imports = files.flatMap((path) =>
  [
    ...readFileSync(join(packageFolder, path), 'utf8').matchAll(/^(?:import|export)[^'\n]*(?:\n[^';]*)?'([^']+)';/gm),
  ].map(([line, to = '']) => ({ path, to, isType: line.startsWith('import type ') || /\{\s*type [^,]*\}/.test(line) })),
);

test('was judged on the whole web UI', () => {
  assert.ok(files.length > 60 && imports.length > 300, `${files.length} files, ${imports.length} imports`);
});

test('a file of the web UI imports only the rooms below its own, and no other page', () => {
  const breaches = imports.flatMap(({ path, to }) => {
    if (!to.startsWith('.')) return [];
    const target = posix.join(posix.dirname(path), to);
    const [from, room] = [roomOf(path), roomOf(target)];
    if (from !== room) return rooms[from]?.includes(room) ? [] : [`${path} imports ${target}`];
    const isOtherPage = from === 'web/pages' && path.split('/')[2] !== target.split('/')[2];
    return isOtherPage ? [`${path} imports the page ${target}`] : [];
  });
  assert.deepEqual(breaches, []);
});

test('the web UI imports nothing of the server but the caller, the parser of events, types of the contract, time zones, colours, texts and Markdown of status pages, resource files, how kinds are shown, and how other formats are read', () => {
  const breaches = imports.flatMap(({ path, to, isType }) => {
    if (!to.startsWith('#') && !to.startsWith('node:')) return [];
    const isOpen =
      to === '#contract/caller.ts' ||
      to === '#contract/event-stream.ts' ||
      to === '#contract/follow-deployment.ts' ||
      to === '#contract/projects/resource-file.ts' ||
      to === '#domain/checks/wall-time.ts' ||
      to === '#domain/status-pages/page-texts.ts' ||
      to === '#domain/status-pages/status-page.ts' ||
      to === '#publish/markdown.ts' ||
      to === '#publish/texts/german.ts' ||
      to === '#importers/csv/lines.ts' ||
      to === '#importers/text-formats.ts' ||
      to === '#importers/stored-switches.ts' ||
      (/^#importers\/(?:imported|channels)\.ts$/.test(to) && isType) ||
      to === '#lib/errors.ts' ||
      to === '#files/export.ts' ||
      to === '#files/write.ts' ||
      /^#(checks|channels)\/(shows?|forms?)\.ts$|^#checks\/shown-assertions\.ts$|^#lib\/schema\/form\.ts$/.test(to);
    return isOpen || (to.startsWith('#contract/') && isType) ? [] : [`${path} imports ${to}`];
  });
  assert.deepEqual(breaches, []);
});

test('no file of the web UI names a kind of checks or channels', () => {
  const types = [...checkSchemas, ...channelSchemas].map(({ type }) => type);
  const parts = checkSchemas.map(({ type }) => resultPart(type));
  assert.ok(types.includes('MULTI_STEP') && parts.includes('multiStepCheckResult'), 'looks for names of kinds');
  const names = new RegExp(`['"\`](?:${types.join('|')})['"\`]|\\b(?:${parts.join('|')})\\b`);
  const breaches = files.flatMap((path) => {
    const found = names.exec(readFileSync(join(packageFolder, path), 'utf8'));
    return found === null ? [] : [`${path} names ${found[0]}`];
  });
  assert.deepEqual(breaches, []);
});

test('a page has at most 300 lines a file, and other files 400', () => {
  const long = files.flatMap((path) => {
    const lines = readFileSync(join(packageFolder, path), 'utf8').split('\n').length;
    return lines > (path.startsWith('web/pages/') ? 301 : 401) ? [`${path}: ${lines} lines`] : [];
  });
  assert.deepEqual(long, []);
});

test('a folder of the web UI has at most 25 files', () => {
  const counts = new Map<string, number>();
  for (const path of globSync('web/**/*.*', { cwd: packageFolder })) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  assert.ok(counts.size > 15, `${counts.size} folders`);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 25),
    [],
  );
});

test('no text becomes markup or code', () => {
  const ways = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcDoc|\beval\(/;
  const breaches = files.filter((path) => ways.test(readFileSync(join(packageFolder, path), 'utf8')));
  assert.deepEqual(breaches, []);
});

test('every setting of a group that can be written is in its form, or has a reason', () => {
  const elsewhere: Readonly<Record<string, string>> = {
    muted: 'in the menu of its page',
    mutedUntil: 'in the menu of its page',
    mutedUntilRecovery: 'in the menu of its page',
    concurrency: 'no effect',
    doubleCheck: 'no effect',
    browserCheckDefaults: 'no effect',
  };
  const form = globSync(
    '{web/pages/group-editor,web/ui/check-settings,web/ui/alert-settings,src/checks/kinds}/**/*.{ts,tsx}',
    {
      cwd: packageFolder,
    },
  )
    .filter((path) => !path.startsWith('src/') || path.endsWith('/form.ts'))
    .map((path) => readFileSync(join(packageFolder, path), 'utf8'))
    .join('\n');
  const written = Object.keys(checkGroup.shape).filter((name) => !readOnly.has(name));
  assert.ok(written.length > 15);
  const missing = written.filter((name) => !new RegExp(`['"\`]${name}\\b`).test(form) && elsewhere[name] === undefined);
  assert.deepEqual(missing, []);
});

const readOnly: ReadonlySet<string> = new Set(['id', 'warnings', 'created_at', 'updated_at']);
