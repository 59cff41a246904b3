// Concurrency limits for scripts: independent types, fair accounts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckType } from '#domain/checks/check.ts';
import { createScriptLanes } from './script-lanes.ts';

/** One slot per type; records who entered. */
function onePlace() {
  const lanes = createScriptLanes(['API', 'MULTI_STEP', 'BROWSER'], 1);
  const seen: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = (type: CheckType, who: string): void => {
    void lanes.enter(type, who).then((leave) => {
      seen.push(leave === null ? `${who} not` : `${type} of ${who}`);
      if (leave !== null) leaves.push(leave);
    });
  };
  const entered = async (): Promise<readonly string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return seen.splice(0);
  };
  return { lanes, enter, entered, leave: (): void => leaves.shift()?.() };
}

describe('lanes of scripts', () => {
  it('do not delay one type because of another', async () => {
    const { enter, entered } = onePlace();
    for (let one = 0; one < 20; one++) enter('BROWSER', 'a');
    for (let one = 0; one < 20; one++) enter('MULTI_STEP', 'a');
    enter('API', 'a');
    assert.deepEqual(await entered(), ['BROWSER of a', 'MULTI_STEP of a', 'API of a']);
  });

  it('prefer an account without running scripts, however many another has waiting', async () => {
    const { enter, leave, entered } = onePlace();
    for (let one = 0; one < 20; one++) enter('BROWSER', 'a');
    enter('BROWSER', 'b');
    assert.deepEqual(await entered(), ['BROWSER of a']);
    leave();
    assert.deepEqual(await entered(), ['BROWSER of b']);
    leave();
    assert.deepEqual(await entered(), ['BROWSER of a']);
  });

  it('admit no scripts once they are closed', async () => {
    const { lanes, enter, leave, entered } = onePlace();
    enter('API', 'a');
    enter('API', 'b');
    assert.deepEqual(await entered(), ['API of a']);
    lanes.close();
    leave();
    enter('API', 'c');
    assert.deepEqual(await entered(), ['b not', 'c not']);
  });

  it('reject check types without scripts', async () => {
    const { lanes } = onePlace();
    await assert.rejects(lanes.enter('DNS', 'a'), /DNS checks have no scripts/);
  });
});
