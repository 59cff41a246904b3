// What all processes of an installation count together.
import assert from 'node:assert/strict';
import type { Service } from './service.ts';

/** Every line of `/metrics` by its name and labels, added up over the processes. */
export async function metricSums({ addresses }: Pick<Service, 'addresses'>): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const address of addresses) {
    const answer = await fetch(`${address}/metrics`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
      const end = line.lastIndexOf(' ');
      const name = line.slice(0, end);
      sums.set(name, (sums.get(name) ?? 0) + Number(line.slice(end + 1)));
    }
  }
  return sums;
}
