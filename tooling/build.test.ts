// The bundle loads only what a command needs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { bundled } from './bundle.ts';

const folder = dirname(bundled('tocsin'));

/** Collects the code of a chunk and of every chunk that it imports statically. */
function load(chunk: string, found: Map<string, string>): void {
  if (found.has(chunk)) return;
  const code = readFileSync(join(folder, chunk), 'utf8');
  found.set(chunk, code);
  for (const [, name = ''] of code.matchAll(/^import (?:[^"']*from )?"\.\/([^"]+)"/gm)) load(name, found);
}

it('commands that talk to a server start without the schemas of the API', () => {
  const entry = readFileSync(bundled('tocsin'), 'utf8');
  const [, client = ''] = /"Commands that talk to a server": \{(.*?)^\t\}/ms.exec(entry) ?? [];
  const found = new Map<string, string>();
  for (const [, chunk = ''] of client.matchAll(/import\("\.\/([^"]+)"\)/g)) load(chunk, found);
  const sources = [...found.values()].flatMap((code) => code.match(/(?<=^\/\/(?:#region)? )src\/.*$/gm) ?? []);
  assert.ok(sources.includes('src/cli/client/trigger.ts') && sources.includes('src/contract/called-operations.ts'));
  assert.ok(!sources.includes('src/contract/operations.ts'));
});
