// A copy of the sources with a made-up kind of checks and one of channels: a folder and four lines each.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder } from '#lib/package-files.ts';
import type { Place } from './service/service.ts';
import type { Cleanup } from './targets/scripted-server.ts';

/** Returns the copy's folder, and the place to start it at. It is deleted with the test. */
export function copyWithMadeUpKinds(t: Cleanup): { readonly copy: string; readonly place: Place } {
  const copy = mkdtempSync(join(tmpdir(), 'tocsin-made-up-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const name of ['src', 'web', 'package.json', 'tsconfig.json']) {
    cpSync(join(packageFolder, name), join(copy, name), { recursive: true });
  }
  for (const name of ['node_modules', 'runtimes']) symlinkSync(join(packageFolder, name), join(copy, name));
  const [checks, channels] = [join(copy, 'src/checks'), join(copy, 'src/channels')];
  cpSync(join(import.meta.dirname, 'checks/coin-toss'), join(checks, 'kinds/coin-toss'), { recursive: true });
  cpSync(join(import.meta.dirname, 'receivers/made-up-channel'), join(channels, 'kinds/line'), { recursive: true });
  addExport(join(checks, 'registry.ts'), 'coinTossKind', './kinds/coin-toss/coin-toss-kind.ts');
  addExport(join(checks, 'schemas.ts'), 'coinTossSchema', './kinds/coin-toss/schema.ts');
  addExport(join(checks, 'shows.ts'), 'coinTossShow', './kinds/coin-toss/show.ts');
  addExport(join(checks, 'forms.ts'), 'coinTossForm', './kinds/coin-toss/form.ts');
  addToList(join(channels, 'registry.ts'), 'lineKind', './kinds/line/line-kind.ts');
  addToList(join(channels, 'schemas.ts'), 'lineSchema', './kinds/line/schema.ts');
  addExport(join(channels, 'shows.ts'), 'lineShow', './kinds/line/show.ts');
  addExport(join(channels, 'forms.ts'), 'lineForm', './kinds/line/form.ts');
  // Not in the copy, which is deleted while the service still writes.
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-service-'));
  return { copy, place: { dataDir, enter: [], program: join(copy, 'src/main.ts') } };
}

function addExport(path: string, name: string, from: string): void {
  appendFileSync(path, `export { ${name} } from '${from}';\n`);
}

function addToList(path: string, name: string, from: string): void {
  const text = readFileSync(path, 'utf8').replace(/,?\s*\] as const/, `, ${name}] as const`);
  writeFileSync(path, `import { ${name} } from '${from}';\n${text}`);
}
