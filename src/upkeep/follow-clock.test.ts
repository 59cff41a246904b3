// A process clock that follows a machine clock that jumps or drifts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFollowedClock } from '#lib/followed-clock.ts';
import { createFollowClock } from './follow-clock.ts';

const start = Date.UTC(2026, 2, 10, 12);
const hourMs = 3_600_000;

function clocks(move: (byMs: number, now: number) => Promise<void> = () => Promise.resolve()) {
  const machine = { at: start, steady: 0 };
  const clock = createFollowedClock({ now: () => machine.at }, () => machine.steady);
  const pass = (ms: number, machineMs = ms): void => {
    machine.steady += ms;
    machine.at += machineMs;
  };
  return { clock, pass, follow: createFollowClock({ store: { moveWithClock: move }, clock }) };
}

describe('the clock of a process', () => {
  it('does not jump forward before the rows are moved', async () => {
    const seen: number[] = [];
    const { clock, pass, follow } = clocks(() => {
      seen.push(clock.now());
      return Promise.resolve();
    });
    pass(1000, 1000 + hourMs);
    assert.equal(clock.now(), start + 1000);
    await follow();
    assert.deepEqual([seen, clock.now()], [[start + 1000], start + 1000 + hourMs]);
    assert.deepEqual(clock.lastSet, { from: start + 1000, to: start + 1000 + hourMs });
  });

  it('jumps back before the rows are moved, and keeps its time if that fails', async () => {
    const seen: number[] = [];
    let isAway = true;
    const { clock, pass, follow } = clocks(() => {
      seen.push(clock.now());
      return isAway ? Promise.reject(new Error('the disk is full')) : Promise.resolve();
    });
    pass(1000, 1000 - hourMs);
    await assert.rejects(follow(), /disk is full/);
    assert.equal(clock.now(), start + 1000);
    isAway = false;
    await follow();
    const back = start + 1000 - hourMs;
    assert.deepEqual([seen, clock.now(), clock.lastSet], [[back, back], back, null]);
  });

  it('reports how much of a jump was suspension, and none for a clock change', async () => {
    const slept: number[] = [];
    const machine = { at: start, steady: 0, up: 0 };
    const clock = createFollowedClock(
      { now: () => machine.at },
      () => machine.steady,
      () => machine.up,
    );
    const store = {
      moveWithClock: (_: number, __: number, { ms }: { ms: number }) => Promise.resolve(void slept.push(ms)),
    };
    const follow = createFollowClock({ store, clock });
    const jump = async (byMs: number, upMs: number): Promise<void> => {
      machine.steady += 1000;
      machine.at += 1000 + byMs;
      machine.up += 1000 + upMs;
      await follow();
    };
    await jump(8 * hourMs, 8 * hourMs);
    await jump(hourMs, 0);
    await jump(9 * hourMs, 8 * hourMs);
    await jump(-hourMs, 0);
    // The uptime has a resolution of whole seconds.
    await jump(hourMs, 999);
    // The machine's clock was an hour behind after resuming.
    await jump(7 * hourMs, 8 * hourMs);
    assert.deepEqual(slept, [8 * hourMs, 0, 8 * hourMs, 0, 0, 8 * hourMs]);
  });

  it('follows drift gradually, without moving a row', async () => {
    const { clock, pass, follow } = clocks(() => assert.fail('drift must not move rows'));
    pass(1000, 1012);
    await follow();
    assert.equal(clock.now(), start + 1005);
    await follow();
    await follow();
    assert.equal(clock.now(), start + 1012);
    pass(1000, 980);
    for (let ticks = 0; ticks < 10; ticks++) await follow();
    assert.equal(clock.now(), start + 1992);
  });
});
