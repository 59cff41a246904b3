// Precedence of variables with the same name.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EnvironmentVariable, mergeVariables } from './environment-variable.ts';

const variable = (key: string, value: string, secret = false): EnvironmentVariable => ({
  key,
  value,
  locked: false,
  secret,
});

describe('variables', () => {
  it('of a check override those of its group, which override those of the account', () => {
    const merged = mergeVariables(
      [variable('A', 'account'), variable('B', 'account'), variable('C', 'account')],
      [variable('B', 'group'), variable('C', 'group')],
      [variable('C', 'check'), variable('D', 'check')],
    );
    assert.deepEqual(
      merged.map(({ key, value }) => `${key}=${value}`),
      ['A=account', 'B=group', 'C=check', 'D=check'],
    );
  });

  it('are secret only if the overriding one is', () => {
    assert.equal(mergeVariables([variable('A', 'x', true)], [variable('A', 'y')])[0]?.secret, false);
    assert.equal(mergeVariables([variable('A', 'x')], [variable('A', 'y', true)])[0]?.secret, true);
  });

  it('have case-sensitive names', () => {
    assert.equal(mergeVariables([variable('a', '1')], [variable('A', '2')]).length, 2);
  });

  it('can have any name', () => {
    const names = ['__proto__', 'constructor', '', 'ключ'];
    assert.deepEqual(
      mergeVariables(names.map((name) => variable(name, 'x'))).map(({ key }) => key),
      names,
    );
  });
});
