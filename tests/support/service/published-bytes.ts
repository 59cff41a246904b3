// Every byte that is published of a status page about a check full of secrets: as a copy and as visitors receive it.
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertClean } from '../canaries.ts';
import type { Cleanup } from '../targets/scripted-server.ts';
import { until } from '../until.ts';
import type { Service } from './service.ts';

/** A folder for copies of pages. */
export function folderForPages(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-pages-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Publishes the outage of a check, with the incident that it opens.
 * @param folder that of `TOCSIN_PUBLISH_FOLDER`
 * @param internal what visitors must not learn, beside secrets
 */
export async function assertPublishedClean(
  service: Service,
  folder: string,
  { checkId, groupId }: { readonly checkId: string; readonly groupId: number },
  internal: readonly string[],
): Promise<void> {
  const { id } = await service.must('POST', '/v1/status-pages/services', {
    name: 'Checkout',
    checkIds: [checkId],
    groupIds: [groupId],
    incidents: { mode: 'PUBLISH' },
  });
  const cards = [{ name: 'Online', services: [id] }];
  await service.must('POST', '/v1/status-pages', { name: 'Status', url: 'shown', showResponseTimes: true, cards });
  const own = join(folder, 'shown');
  const read = (path: string): string => (existsSync(join(own, path)) ? readFileSync(join(own, path), 'utf8') : '');
  await until('the copy of the outage', () => /"indicator":"(?:major|critical)"/.test(read('api/v2/status.json')));
  await until('the copy of its incident', () => globSync('incidents/*.html', { cwd: own }).length > 0);
  const paths = globSync('**/*', { cwd: own, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(own.length + 1));
  assert.ok(paths.length > 20, paths.join());
  const look = (where: string, text: string): void => {
    assertClean(where, text);
    for (const hidden of [checkId, ...internal]) assert.ok(!text.includes(hidden), `${where} has ${hidden}`);
  };
  for (const path of paths) {
    look(`the copy ${path}`, read(path));
    const answer = await fetch(`${service.address}/status/shown/${path}`);
    assert.equal(answer.status, 200, path);
    look(`the published ${path}`, JSON.stringify([...answer.headers]) + (await answer.text()));
  }
}
