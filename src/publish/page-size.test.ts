// A page stays small whatever its owner writes: all pages share the memory of the process that serves them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exampleIncident,
  exampleMaintenance,
  examplePage,
  exampleService,
  exampleSnapshot,
  numberedId,
} from '../../tests/support/page-snapshots.ts';
import { renderPage } from './render-page.ts';

const long = 'n'.repeat(200);

test('hundreds of incidents and windows of maintenance of all services with the longest names fit into 20 MB', () => {
  const texts = { 'incident.affects': '{services}'.repeat(50) };
  const services = Array.from({ length: 200 }, (_, index) =>
    exampleService(index, { name: long, description: 'd'.repeat(500) }),
  );
  const serviceIds = services.map(({ id }) => id);
  const incidents = Array.from({ length: 100 }, (_, index) =>
    exampleIncident(index, { name: long, serviceIds, resolvedAt: null }),
  );
  const maintenance = Array.from({ length: 400 }, (_, index) => exampleMaintenance(index, { name: long, serviceIds }));
  const cards = [{ id: numberedId(3), name: long, services }];
  const page = examplePage({ texts, customDomain: 'status.example.com' });
  const files = renderPage(exampleSnapshot({ page, cards, incidents, maintenance }));
  const sizes = [...files].map(([path, { content }]) => [path, Buffer.byteLength(content)] as const);
  const largest = sizes.toSorted(([, one], [, other]) => other - one).slice(0, 5);
  assert.ok(sizes.reduce((sum, [, size]) => sum + size, 0) < 20_000_000, JSON.stringify(largest));
  const read = (path: string) =>
    JSON.parse(String(files.get(path)?.content)) as Record<
      'incidents' | 'scheduled_maintenances',
      { components: object[] }[]
    >;
  for (const [path, kind] of [
    ['incidents', 'incidents'],
    ['incidents/unresolved', 'incidents'],
    ['scheduled-maintenances', 'scheduled_maintenances'],
    ['summary', 'scheduled_maintenances'],
  ] as const) {
    const list = read(`api/v2/${path}.json`)[kind];
    assert.equal(list.length, 50, path);
    assert.equal(list.flatMap(({ components }) => components).length, 1000, path);
  }
});
