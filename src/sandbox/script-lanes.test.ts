// Room for scripts: types apart, accounts in turns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckType } from '#domain/checks/check.ts';
import { createScriptLanes } from './script-lanes.ts';

/** One place of each type; who was let in is written down. */
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
  const news = async (): Promise<readonly string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return seen.splice(0);
  };
  return { lanes, enter, news, leave: (): void => leaves.shift()?.() };
}

describe('lanes of scripts', () => {
  it('let a type in whoever waits of another', async () => {
    const { enter, news } = onePlace();
    for (let one = 0; one < 20; one++) enter('BROWSER', 'a');
    for (let one = 0; one < 20; one++) enter('MULTI_STEP', 'a');
    enter('API', 'a');
    assert.deepEqual(await news(), ['BROWSER of a', 'MULTI_STEP of a', 'API of a']);
  });

  it('let an account in next that has none inside, however many another has waiting', async () => {
    const { enter, leave, news } = onePlace();
    for (let one = 0; one < 20; one++) enter('BROWSER', 'a');
    enter('BROWSER', 'b');
    assert.deepEqual(await news(), ['BROWSER of a']);
    leave();
    assert.deepEqual(await news(), ['BROWSER of b']);
    leave();
    assert.deepEqual(await news(), ['BROWSER of a']);
  });

  it('let nobody in once they are closed', async () => {
    const { lanes, enter, leave, news } = onePlace();
    enter('API', 'a');
    enter('API', 'b');
    assert.deepEqual(await news(), ['API of a']);
    lanes.close();
    leave();
    enter('API', 'c');
    assert.deepEqual(await news(), ['b not', 'c not']);
  });

  it('have no room for checks without scripts', async () => {
    const { lanes } = onePlace();
    await assert.rejects(lanes.enter('DNS', 'a'), /DNS checks have no scripts/);
  });
});
