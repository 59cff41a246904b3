// Years of a machine whose clock is set, that sleeps and that is restarted, in minutes: the steps and the store are the
// product's own, the time is not, and whether every promise held is judged from outside.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DueDelivery, SendOutcome } from '#domain/alerts/delivery.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { conservationDifference } from '../../tests/support/store/slots.ts';
import { createDice, type Dice } from '../chaos/dice.ts';
import { findingOf, outcomeOf } from './answers.ts';
import { dayMs, type Fate, fatesOf, hourMs, isWithin, spells, within } from './fate.ts';
import { inspectHeld, windowsEndIn } from './held.ts';
import { createAlertJudge, differences, type SeenAlert } from './judge-alerts.ts';
import { createHeartbeatJudge } from './judge-heartbeat.ts';
import { judgeSlots } from './judge-slots.ts';
import { beginLife, type Outside, type SimulatedProcess } from './process.ts';
import { type CheckRecord, type JobRecord, makeFixture, type Fixture } from './fixture.ts';
import { createWorld, type World } from './world.ts';

/** Which years. */
export interface ClockSimOptions {
  readonly days: number;
  readonly seed: number;
  /** Told of each thirty days. */
  readonly onProgress?: (daysDone: number) => void;
}

/** What was counted. */
export interface ClockSimReport {
  readonly slots: number;
  readonly runs: number;
  readonly paused: number;
  readonly pings: number;
  readonly silences: number;
  /** Failures that were told when a window had ended, without a result. */
  readonly outlasted: number;
  readonly alerts: number;
  readonly attempts: number;
  readonly repeats: number;
  readonly fates: Readonly<Record<string, number>>;
}

const memoryFolder = '/dev/shm';
/** New Year of a year whose follower has a leap day. */
const startsAt = Date.UTC(2027, 0, 1, 0, 0, 7);

/** Lives through them. @throws {Error} at the first promise that does not hold, with the true time at which it did not */
export async function simulateClocks(options: ClockSimOptions): Promise<ClockSimReport> {
  // Nothing here is about the disk.
  const folder = mkdtempSync(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'tocsin-sim-'));
  try {
    const simulation = new ClockSimulation(join(folder, 'tocsin.db'), options);
    try {
      return await simulation.run();
    } catch (error) {
      const at = new Date(simulation.trueNow).toISOString();
      throw new Error(`at ${at}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class ClockSimulation {
  readonly #path: string;
  readonly #options: ClockSimOptions;
  readonly #world: World = createWorld(startsAt);
  readonly #dice: Dice;
  readonly #endsAt: number;
  readonly #checks = new Map<string, CheckRecord>();
  readonly #jobs = new Map<string, JobRecord>();
  readonly #alerts = createAlertJudge((checkId) => this.#checks.get(checkId)?.check.runs ?? 1);
  readonly #arrived = new Map<string, SeenAlert>();
  /** Those whose arrival this life of Tocsin was told of: until then each is tried again. */
  readonly #answered = new Set<string>();
  /** Of each delivery: how often it was tried, and when last, on the clock that nobody sets. */
  readonly #tried = new Map<string, { number: number; at: number; isCut: boolean }>();
  readonly #counts = { runs: 0, paused: 0, pings: 0, silences: 0, outlasted: 0, attempts: 0, repeats: 0 };
  #isReceiverDown: (trueAt: number) => boolean = () => false;
  #process: SimulatedProcess | null = null;
  #raw: DatabaseSync | null = null; // A second door to the rows.
  /** How a process is to end while it works; null = it goes on. */
  #doom: 'killed while probing' | 'killed while sending' | null = null;
  /** Time in which a process was there and awake, ms. */
  #livedMs = 0;

  constructor(path: string, options: ClockSimOptions) {
    this.#path = path;
    this.#options = options;
    this.#dice = createDice(options.seed + 1);
    this.#endsAt = startsAt + options.days * dayMs;
  }

  get trueNow(): number {
    return this.#world.trueNow();
  }

  async run(): Promise<ClockSimReport> {
    const { seed, days, onProgress } = this.#options;
    this.#process = await beginLife(this.#path, this.#world, this.#outside());
    const fixture = await makeFixture(this.#process.store, startsAt, this.#endsAt + 40 * dayMs);
    await this.#process.sign();
    this.#watch(fixture);
    const fates = fatesOf(seed, startsAt + hourMs, this.#endsAt - dayMs);
    let reported = 0;
    for (const fate of fates) {
      await this.#live(fate.at);
      await this.#suffer(fate);
      for (; reported + 30 <= (this.trueNow - startsAt) / dayMs; reported += 30) onProgress?.(reported + 30);
    }
    await this.#live(this.#endsAt);
    onProgress?.(days);
    return this.#judge(fixture, fates);
  }

  #watch({ checks, jobs }: Fixture): void {
    const [from, to] = [startsAt, this.#endsAt];
    const bad = (everyMs: number, lastsMs: number) => isWithin(spells(this.#dice, from, to, { everyMs, lastsMs }));
    for (const check of checks) {
      this.#checks.set(check.id, {
        check,
        isDown: bad(4 * dayMs, Math.max(4 * hourMs, 2 * check.intervalMs)),
        isPaused: within(check.paused),
        isSilenced: within(check.silenced),
        ranAt: 0,
        slotAt: 0,
      });
    }
    for (const job of jobs) {
      const isSilent = bad(12 * dayMs, 6 * job.periodMs);
      const judge = createHeartbeatJudge(job.name, job);
      this.#jobs.set(job.id, { job, isSilent, judge, callsAt: startsAt + job.periodMs });
    }
    // Short enough for the attempts of a delivery to outlive them.
    const away = spells(this.#dice, from, to, { everyMs: 8 * hourMs, lastsMs: 25_000 });
    this.#isReceiverDown = isWithin(away.map((one) => ({ from: one.from, to: Math.min(one.to, one.from + 90_000) })));
  }

  /** Goes on, from one thing that is due to the next, up to a true time. */
  async #live(until: number): Promise<void> {
    for (;;) {
      const process = this.#alive();
      const dueAt = await process.settle();
      if (this.#isDoomed()) return;
      for (const { judge } of this.#jobs.values()) judge.inspect(this.#livedMs);
      for (const record of this.#checks.values()) this.#mustHaveRun(record);
      const dueIn = Math.max(1, dueAt - process.clock.now());
      const callsIn = Math.min(...[...this.#jobs.values()].map(({ callsAt }) => callsAt)) - this.trueNow;
      const left = until - this.trueNow;
      const ms = Math.max(
        0,
        Math.min(left, dueIn, callsIn, windowsEndIn(this.#checks.values(), this.#alerts, process.clock.now())),
      );
      this.#world.pass(ms);
      this.#livedMs += ms;
      this.#sign();
      await this.#callJobs(true);
      if (this.trueNow >= until) return;
    }
  }

  async #suffer(fate: Fate): Promise<void> {
    if (fate.what === 'clock') return this.#setClock(fate.byMs);
    if (fate.what === 'sleep') return this.#sleep(fate.ms, fate.clockByMs);
    return this.#restart(fate);
  }

  async #setClock(byMs: number): Promise<void> {
    this.#world.setClock(byMs);
    await this.#followSoon();
  }

  async #sleep(ms: number, clockByMs: number): Promise<void> {
    this.#interrupt();
    const wakesAt = this.trueNow + ms;
    await this.#missCalls(wakesAt, (by) => this.#world.sleep(by));
    this.#world.setClock(clockByMs);
    this.#interrupt();
    await this.#followSoon();
  }

  /** The loop that follows the clock looks every 200 ms; others may turn before it does. */
  async #followSoon(): Promise<void> {
    const process = this.#alive();
    if (this.#dice() < 0.5) await process.settle();
    const ms = Math.floor(this.#dice() * 200);
    this.#world.pass(ms);
    this.#livedMs += ms;
    // Who called while the machine slept calls again when it wakes, as jobs on it do.
    if (this.#dice() < 0.5)
      for (const record of this.#jobs.values()) record.callsAt = Math.min(record.callsAt, this.trueNow);
    await this.#callJobs(true);
    if (this.#dice() < 0.5) await process.sign();
    await process.followClock();
    process.wake();
    await process.sign();
  }

  async #restart({ how, downMs, clockByMs }: Extract<Fate, { what: 'restart' }>): Promise<void> {
    if (how === 'killed while probing' || how === 'killed while sending') {
      // At the next one; where there is none for half a day, without it.
      this.#doom = how;
      await this.#live(this.trueNow + dayMs / 2);
    }
    this.#doom = null;
    const process = this.#alive();
    await process.rollUp();
    if (how === 'stopped') await process.stop();
    else await process.kill();
    this.#process = null;
    this.#interrupt();
    await this.#missCalls(this.trueNow + downMs, (by) => this.#world.pass(by));
    this.#world.setClock(clockByMs);
    this.#process = await beginLife(this.#path, this.#world, this.#outside());
    this.#interrupt(Math.abs(clockByMs));
    for (const tried of this.#tried.values()) tried.isCut = true;
    this.#answered.clear();
    const { difference } = await this.#process.store.figures.conservation();
    if (difference !== 0)
      throw new Error(`runs asked for are not outcomes and open runs: the difference is ${difference}`);
  }

  /** Jobs call, and nobody hears. */
  async #missCalls(until: number, pass: (ms: number) => void): Promise<void> {
    while (this.trueNow < until) {
      const next = Math.min(until, ...[...this.#jobs.values()].map(({ callsAt }) => callsAt));
      pass(Math.max(0, next - this.trueNow));
      await this.#callJobs(false);
    }
  }

  async #callJobs(isReceived: boolean): Promise<void> {
    for (const record of this.#jobs.values()) {
      const { job, judge } = record;
      while (record.callsAt <= this.trueNow) {
        // A little early or late, as jobs are.
        const nextAt = record.callsAt + job.periodMs + Math.round((this.#dice() - 0.5) * 0.2 * job.graceMs);
        record.callsAt = Math.max(nextAt, this.trueNow + 1);
        if (record.isSilent(this.trueNow)) continue;
        judge.called(this.trueNow, this.#livedMs, isReceived);
        if (isReceived) await this.#hear(record);
      }
    }
  }

  async #hear({ job }: JobRecord): Promise<void> {
    const { store, clock } = this.#alive();
    const from = { method: 'GET', source: null, userAgent: null, body: null };
    const ping = { token: job.token, signal: 'ping', exitCode: null, at: clock.now(), ...from } as const;
    const [answer] = await store.path.receivePings([ping]);
    this.#alive().wake();
    if (answer?.outcome !== 'kept') throw new Error(`${job.name} was not kept: ${answer?.outcome}`);
    this.#counts.pings++;
  }

  #outside(): Outside {
    return {
      probe: (input, now) => this.#probe(input.check.id, now),
      send: (delivery, attempt, now) => this.#receive(delivery, attempt, now),
      ended: (attempt) => this.#ended(attempt),
      polls: (now) => {
        this.#counts.outlasted += inspectHeld(this.#checks.values(), this.#alerts, now);
      },
      judged: (attempt, { isRecorded, resultId }) => {
        if (isRecorded) this.#judgedHeartbeat(attempt, resultId);
      },
    };
  }

  #probe(checkId: string, now: number): Finding | null {
    const record = this.#recordOf(checkId);
    if (record.isPaused(now)) throw new Error(`${checkId} was looked at in a maintenance window that pauses it`);
    if (this.#doom === 'killed while probing') return this.#dies();
    return findingOf(record.isDown(this.trueNow), now);
  }

  #ended({ run, outcome, finding }: EndedAttempt): void {
    const record = this.#recordOf(run.checkId);
    const now = this.#alive().clock.now();
    if (finding.reason === 'maintenance') {
      if (!record.isPaused(finding.startedAt)) throw new Error(`${run.checkId} was paused outside of its windows`);
      this.#counts.paused++;
    } else if (outcome === 'passed' || outcome === 'failed') {
      this.#counts.runs++;
      const isSilenced = record.isSilenced(now);
      this.#alerts.verdict({ checkId: run.checkId, resultId: run.id, isFailure: outcome === 'failed', isSilenced });
    } else return;
    this.#mustHaveRun(record);
    record.ranAt = this.#livedMs;
    record.slotAt = Math.max(record.slotAt, run.slotAt ?? 0);
  }

  #mustHaveRun({ check, ranAt }: CheckRecord): void {
    const sinceMs = this.#livedMs - ranAt;
    if (sinceMs <= 2 * check.intervalMs + 1000) return;
    throw new Error(
      `${check.id} had no turn for ${sinceMs} ms in which Tocsin ran; it has one every ${check.intervalMs}`,
    );
  }

  #judgedHeartbeat({ run, outcome }: EndedAttempt, resultId: string): void {
    const record = this.#jobs.get(run.checkId);
    if (record === undefined) throw new Error(`nothing is known of a heartbeat ${run.checkId}`);
    if (outcome !== 'passed' && outcome !== 'failed') return;
    if (outcome === 'failed') {
      if (!record.judge.isOpen) this.#counts.silences++;
      record.judge.opened(this.trueNow);
    } else record.judge.closed();
    this.#alerts.verdict({ checkId: run.checkId, resultId, isFailure: outcome === 'failed', isSilenced: false });
  }

  #receive({ id, request }: DueDelivery, number: number, now: number): SendOutcome | null {
    this.#counts.attempts++;
    const steady = this.#world.steadyNow();
    const before = this.#tried.get(id);
    const waitedMs = steady - (before?.at ?? steady);
    // Distances are kept whatever the clock shows, unless nobody was there to keep them.
    if (before !== undefined && !before.isCut && Math.abs(waitedMs - 20_000) > 1500) {
      throw new Error(`attempt ${number} of ${id} came ${waitedMs} ms after the one before, not 20 s`);
    }
    if (before !== undefined && !before.isCut && number !== before.number + 1)
      throw new Error(`attempt ${number} of ${id} follows attempt ${before.number}`);
    if (this.#answered.has(id)) throw new Error(`${id} was sent again after its arrival had been answered`);
    this.#tried.set(id, { number, at: steady, isCut: false });
    if (this.#isReceiverDown(this.trueNow)) return outcomeOf(now, 503);
    if (this.#arrived.has(id)) this.#counts.repeats++;
    this.#arrived.set(id, JSON.parse(request?.body ?? '{}') as SeenAlert);
    if (this.#doom === 'killed while sending') return this.#dies();
    this.#answered.add(id);
    return outcomeOf(now, 204);
  }

  #dies(): null {
    this.#doom = null;
    this.#isDead = true;
    return null;
  }
  #isDead = false;

  #isDoomed(): boolean {
    const isDead = this.#isDead;
    this.#isDead = false;
    return isDead;
  }

  #recordOf(checkId: string): CheckRecord {
    const record = this.#checks.get(checkId);
    if (record === undefined) throw new Error(`nothing is known of a check ${checkId}`);
    return record;
  }

  #alive(): SimulatedProcess {
    if (this.#process === null) throw new Error('no process is there');
    return this.#process;
  }

  #interrupt(allowMs = 0): void {
    for (const { judge } of this.#jobs.values()) judge.interrupted(this.#livedMs, allowMs);
  }

  /** The sign of each second of a time in which nothing was due, as the last of them left it. */
  #sign(): void {
    this.#raw ??= new DatabaseSync(this.#path);
    const row = this.#raw.prepare(`SELECT value FROM installation WHERE key = 'pings-heard'`).get();
    if (row === undefined) return;
    const [, ...gaps] = String(row['value']).split('/');
    const receivingAt = this.#alive().clock.now() - (this.#livedMs % 1000);
    const value = [receivingAt, ...gaps].join('/');
    this.#raw.prepare(`UPDATE installation SET value = ? WHERE key = 'pings-heard'`).run(value);
  }

  async #judge({ checks }: Fixture, fates: readonly Fate[]): Promise<ClockSimReport> {
    const process = this.#alive();
    // Whatever is still on its way arrives.
    this.#isReceiverDown = () => false;
    await this.#live(this.trueNow + 10 * 60_000);
    await process.rollUp();
    await process.stop();
    const raw = (this.#raw ??= new DatabaseSync(this.#path));
    try {
      const found = differences(this.#alerts.expected(), [...this.#arrived.values()]);
      if (found.length > 0) throw new Error(`alerts: ${found.length} differ:\n  ${found.slice(0, 10).join('\n  ')}`);
      const difference = conservationDifference(raw);
      if (difference !== 0) throw new Error(`runs asked for are not outcomes: the difference is ${difference}`);
      const lap = Number(raw.prepare(`SELECT value FROM installation WHERE key = 'lap'`).get()?.['value'] ?? 0);
      const slots = judgeSlots(raw, checks, lap, process.clock.now());
      const byKind = Object.groupBy(fates, (fate) => (fate.what === 'restart' ? fate.how : fate.what));
      return {
        slots,
        ...this.#counts,
        alerts: this.#arrived.size,
        fates: Object.fromEntries(Object.entries(byKind).map(([what, all]) => [what, all?.length ?? 0])),
      };
    } finally {
      raw.close();
    }
  }
}
