// Simulates years of a machine whose clock changes and that is suspended and restarted, in minutes. The pipeline steps and
// the store are those of the product, but time is simulated, and the guarantees are verified independently.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DueDelivery, SendOutcome } from '#domain/deliveries/delivery.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { conservationDifference } from '../../tests/support/store/slots.ts';
import { createRandom, type Random } from '../chaos/random.ts';
import {
  findingOf,
  outcomeOf,
  startProcess,
  type Outside,
  type SimulatedProcess,
  createWorld,
  type World,
} from './process.ts';
import { dayMs, type MachineEvent, eventsOf, hourMs, isWithin, spells, within } from './machine-events.ts';
import { reportUnsuppressed, windowsEndIn, createAlertJudge, differences, type SeenAlert } from './judge-alerts.ts';
import { createHeartbeatJudge } from './judge-heartbeat.ts';
import { judgeSlots } from './judge-slots.ts';
import { type CheckRecord, type JobRecord, makeFixture, type Fixture } from './fixture.ts';

/** Duration and seed. */
export interface ClockSimOptions {
  readonly days: number;
  readonly seed: number;
  /** Called every thirty days. */
  readonly onProgress?: (daysDone: number) => void;
}

/** Counters. */
export interface ClockSimReport {
  readonly slots: number;
  readonly runs: number;
  readonly paused: number;
  readonly pings: number;
  readonly silences: number;
  /** Failures reported without a result after a maintenance window. */
  readonly outlasted: number;
  readonly alerts: number;
  readonly attempts: number;
  readonly repeats: number;
  readonly events: Readonly<Record<string, number>>;
}

const memoryFolder = '/dev/shm';
/** January 1 of the year before a leap year. */
const startsAt = Date.UTC(2027, 0, 1, 0, 0, 7);

/** Simulates the years. @throws {Error} at the first violation, with its true time */
export async function simulateClocks(options: ClockSimOptions): Promise<ClockSimReport> {
  // Disk behavior is irrelevant here.
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
  readonly #random: Random;
  readonly #endsAt: number;
  readonly #checks = new Map<string, CheckRecord>();
  readonly #jobs = new Map<string, JobRecord>();
  readonly #alerts = createAlertJudge((checkId) => this.#checks.get(checkId)?.check.runs ?? 1);
  readonly #arrived = new Map<string, SeenAlert>();
  /** Deliveries whose success the current process knows; others are retried. */
  readonly #answered = new Set<string>();
  /** By delivery: number and time of its last attempt on the steady clock. */
  readonly #tried = new Map<string, { number: number; at: number; isCut: boolean }>();
  readonly #counts = { runs: 0, paused: 0, pings: 0, silences: 0, outlasted: 0, attempts: 0, repeats: 0 };
  #isReceiverDown: (trueAt: number) => boolean = () => false;
  #process: SimulatedProcess | null = null;
  #raw: DatabaseSync | null = null; // A second connection to the file.
  /** How the process will be killed during its work; null = not at all. */
  #killDuring: 'killed while probing' | 'killed while sending' | null = null;
  /** Time in which a process was running and awake, ms. */
  #livedMs = 0;

  constructor(path: string, options: ClockSimOptions) {
    this.#path = path;
    this.#options = options;
    this.#random = createRandom(options.seed + 1);
    this.#endsAt = startsAt + options.days * dayMs;
  }

  get trueNow(): number {
    return this.#world.trueNow();
  }

  async run(): Promise<ClockSimReport> {
    const { seed, days, onProgress } = this.#options;
    this.#process = await startProcess(this.#path, this.#world, this.#outside());
    const fixture = await makeFixture(this.#process.store, startsAt, this.#endsAt + 40 * dayMs);
    await this.#process.sign();
    this.#addRecords(fixture);
    const events = eventsOf(seed, startsAt + hourMs, this.#endsAt - dayMs);
    let reported = 0;
    for (const event of events) {
      await this.#runUntil(event.at);
      await this.#apply(event);
      for (; reported + 30 <= (this.trueNow - startsAt) / dayMs; reported += 30) onProgress?.(reported + 30);
    }
    await this.#runUntil(this.#endsAt);
    onProgress?.(days);
    return this.#judge(fixture, events);
  }

  #addRecords({ checks, jobs }: Fixture): void {
    const [from, to] = [startsAt, this.#endsAt];
    const bad = (everyMs: number, lastsMs: number) => isWithin(spells(this.#random, from, to, { everyMs, lastsMs }));
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
    // Short enough for the attempts of a delivery to continue afterwards.
    const away = spells(this.#random, from, to, { everyMs: 8 * hourMs, lastsMs: 25_000 });
    this.#isReceiverDown = isWithin(away.map((one) => ({ from: one.from, to: Math.min(one.to, one.from + 90_000) })));
  }

  /** Runs from one due event to the next, up to a true time. */
  async #runUntil(until: number): Promise<void> {
    for (;;) {
      const process = this.#running();
      const dueAt = await process.settle();
      if (this.#isDead) {
        this.#isDead = false;
        return;
      }
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

  async #apply(event: MachineEvent): Promise<void> {
    if (event.what === 'sleep') return this.#sleep(event.ms, event.clockByMs);
    if (event.what === 'restart') return this.#restart(event);
    this.#world.setClock(event.byMs);
    return this.#followSoon();
  }

  async #sleep(ms: number, clockByMs: number): Promise<void> {
    this.#interrupt();
    const wakesAt = this.trueNow + ms;
    await this.#missCalls(wakesAt, (by) => this.#world.sleep(by));
    this.#world.setClock(clockByMs);
    this.#interrupt();
    await this.#followSoon();
  }

  /** The loop that follows the clock runs every 200 ms; others may run before it. */
  async #followSoon(): Promise<void> {
    const process = this.#running();
    if (this.#random() < 0.5) await process.settle();
    const ms = Math.floor(this.#random() * 200);
    this.#world.pass(ms);
    this.#livedMs += ms;
    // Jobs that missed a call while the machine was suspended may call when it resumes.
    if (this.#random() < 0.5)
      for (const record of this.#jobs.values()) record.callsAt = Math.min(record.callsAt, this.trueNow);
    await this.#callJobs(true);
    if (this.#random() < 0.5) await process.sign();
    await process.followClock();
    process.wake();
    await process.sign();
  }

  async #restart({ how, downMs, clockByMs }: Extract<MachineEvent, { what: 'restart' }>): Promise<void> {
    if (how === 'killed while probing' || how === 'killed while sending') {
      // During the next one, or normally if there is none for half a day.
      this.#killDuring = how;
      await this.#runUntil(this.trueNow + dayMs / 2);
    }
    this.#killDuring = null;
    const process = this.#running();
    await process.rollUp();
    if (how === 'stopped') await process.stop();
    else await process.kill();
    this.#process = null;
    this.#interrupt();
    await this.#missCalls(this.trueNow + downMs, (by) => this.#world.pass(by));
    this.#world.setClock(clockByMs);
    this.#process = await startProcess(this.#path, this.#world, this.#outside());
    this.#interrupt(Math.abs(clockByMs));
    for (const tried of this.#tried.values()) tried.isCut = true;
    this.#answered.clear();
    const { difference } = await this.#process.store.figures.conservation();
    if (difference !== 0)
      throw new Error(`requested runs do not match outcomes and open runs: the difference is ${difference}`);
  }

  /** Jobs call while no process can receive pings. */
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
        // A little early or late, like real jobs.
        const nextAt = record.callsAt + job.periodMs + Math.round((this.#random() - 0.5) * 0.2 * job.graceMs);
        record.callsAt = Math.max(nextAt, this.trueNow + 1);
        if (record.isSilent(this.trueNow)) continue;
        judge.called(this.trueNow, this.#livedMs, isReceived);
        if (isReceived) await this.#receivePing(record);
      }
    }
  }

  async #receivePing({ job }: JobRecord): Promise<void> {
    const { store, clock } = this.#running();
    const from = { method: 'GET', source: null, userAgent: null, body: null };
    const ping = { token: job.token, signal: 'ping', exitCode: null, at: clock.now(), ...from } as const;
    const [answer] = await store.path.receivePings([ping]);
    this.#running().wake();
    if (answer?.outcome !== 'kept') throw new Error(`the ping of ${job.name} was not stored: ${answer?.outcome}`);
    this.#counts.pings++;
  }

  #outside(): Outside {
    return {
      probe: (input, now) => this.#probe(input.check.id, now),
      send: (delivery, attempt, now) => this.#receive(delivery, attempt, now),
      ended: (attempt) => this.#ended(attempt),
      polls: (now) => {
        this.#counts.outlasted += reportUnsuppressed(this.#checks.values(), this.#alerts, now);
      },
      judged: (attempt, { isRecorded, resultId }) => {
        if (isRecorded) this.#judgedHeartbeat(attempt, resultId);
      },
    };
  }

  #probe(checkId: string, now: number): Finding | null {
    const record = this.#recordOf(checkId);
    if (record.isPaused(now)) throw new Error(`${checkId} was probed in a maintenance window that pauses it`);
    if (this.#killDuring === 'killed while probing') return this.#die();
    return findingOf(record.isDown(this.trueNow), now);
  }

  #ended({ run, outcome, finding }: EndedAttempt): void {
    const record = this.#recordOf(run.checkId);
    const now = this.#running().clock.now();
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
      `${check.id} did not run for ${sinceMs} ms while Tocsin was running; its interval is ${check.intervalMs} ms`,
    );
  }

  #judgedHeartbeat({ run, outcome }: EndedAttempt, resultId: string): void {
    const record = this.#jobs.get(run.checkId);
    if (record === undefined) throw new Error(`unknown heartbeat ${run.checkId}`);
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
    // Pauses do not depend on the clock, except while no process was running.
    if (before !== undefined && !before.isCut && Math.abs(waitedMs - 20_000) > 1500) {
      throw new Error(`attempt ${number} of ${id} was sent ${waitedMs} ms after the previous one, not 20 s`);
    }
    if (before !== undefined && !before.isCut && number !== before.number + 1)
      throw new Error(`attempt ${number} of ${id} follows attempt ${before.number}`);
    if (this.#answered.has(id)) throw new Error(`${id} was sent again after it had been accepted`);
    this.#tried.set(id, { number, at: steady, isCut: false });
    if (this.#isReceiverDown(this.trueNow)) return outcomeOf(now, 503);
    if (this.#arrived.has(id)) this.#counts.repeats++;
    this.#arrived.set(id, JSON.parse(request?.body ?? '{}') as SeenAlert);
    if (this.#killDuring === 'killed while sending') return this.#die();
    this.#answered.add(id);
    return outcomeOf(now, 204);
  }

  #die(): null {
    this.#killDuring = null;
    this.#isDead = true;
    return null;
  }
  #isDead = false;

  #recordOf(checkId: string): CheckRecord {
    const record = this.#checks.get(checkId);
    if (record === undefined) throw new Error(`unknown check ${checkId}`);
    return record;
  }

  #running(): SimulatedProcess {
    if (this.#process === null) throw new Error('no process is running');
    return this.#process;
  }

  #interrupt(allowMs = 0): void {
    for (const { judge } of this.#jobs.values()) judge.interrupted(this.#livedMs, allowMs);
  }

  /** Writes the reception record that a process would have written each second of an idle period. */
  #sign(): void {
    this.#raw ??= new DatabaseSync(this.#path);
    const row = this.#raw.prepare(`SELECT value FROM installation WHERE key = 'pings-heard'`).get();
    if (row === undefined) return;
    const [, ...gaps] = String(row['value']).split('/');
    const receivingAt = this.#running().clock.now() - (this.#livedMs % 1000);
    const value = [receivingAt, ...gaps].join('/');
    this.#raw.prepare(`UPDATE installation SET value = ? WHERE key = 'pings-heard'`).run(value);
  }

  async #judge({ checks }: Fixture, events: readonly MachineEvent[]): Promise<ClockSimReport> {
    const process = this.#running();
    // Pending deliveries arrive.
    this.#isReceiverDown = () => false;
    await this.#runUntil(this.trueNow + 10 * 60_000);
    await process.rollUp();
    await process.stop();
    const raw = (this.#raw ??= new DatabaseSync(this.#path));
    try {
      const found = differences(this.#alerts.expected(), [...this.#arrived.values()]);
      if (found.length > 0) throw new Error(`alerts: ${found.length} differ:\n  ${found.slice(0, 10).join('\n  ')}`);
      const difference = conservationDifference(raw);
      if (difference !== 0) throw new Error(`requested runs do not match outcomes: the difference is ${difference}`);
      const lap = Number(raw.prepare(`SELECT value FROM installation WHERE key = 'lap'`).get()?.['value'] ?? 0);
      const slots = judgeSlots(raw, checks, lap, process.clock.now());
      const byKind = Object.groupBy(events, (event) => (event.what === 'restart' ? event.how : event.what));
      return {
        slots,
        ...this.#counts,
        alerts: this.#arrived.size,
        events: Object.fromEntries(Object.entries(byKind).map(([what, all]) => [what, all?.length ?? 0])),
      };
    } finally {
      raw.close();
    }
  }
}
