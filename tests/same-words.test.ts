// Words that the contract lists for clients and a kind of check lists for itself are the same: no room imports the other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparisons } from '#checks/parts/assertions/assertion.ts';
import { bodyTypes, httpSources as sources, methods } from '#checks/parts/http/settings.ts';
import { apiRequest, apiRequestShown } from '#contract/checks/api-request.ts';

const shown = apiRequestShown.shape;
const assertionShown = shown.assertions.element.shape;
const asserting = (change: object): object => ({
  assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', ...change }],
});

describe('the contract takes and shows, of an API check, what it does, and nothing else:', () => {
  for (const [what, done, inContract, written] of [
    ['methods', methods, shown.method.options, (method: string) => ({ method })],
    ['types of body', bodyTypes, shown.bodyType.options, (bodyType: string) => ({ bodyType })],
    ['assertion sources', sources, assertionShown.source.options, (source: string) => asserting({ source })],
    ['comparisons', comparisons, assertionShown.comparison.options, (comparison: string) => asserting({ comparison })],
  ] as const) {
    it(what, () => {
      assert.deepEqual([...inContract].sort(), [...done].sort());
      const isTaken = (word: string): boolean =>
        apiRequest.safeParse({ method: 'GET', url: 'https://shop.example/', ...written(word) }).success;
      assert.deepEqual(
        done.filter((word) => !isTaken(word)),
        [],
      );
      assert.ok(!isTaken('SOMETHING_ELSE'));
    });
  }
});
