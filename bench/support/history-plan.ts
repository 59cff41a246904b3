// A month of results for the history benchmark: checks, intervals, and contents of the rows.
import { encodeDetails } from '#checks/parts/http/details.ts';
import type { Check } from '#domain/checks/check.ts';
import { nextSlot, phaseMs } from '#domain/checks/schedule.ts';
import { checkRow } from '#store/checks/check-rows.ts';
import { idBytes } from '#store/base/codec.ts';
import { packed } from '#store/base/packed.ts';
import type { CheckStatesTable, ChecksTable } from '#store/base/tables/schema.ts';
import type { SchedulesTable } from '#store/base/tables/schedule-tables.ts';
import { createSeal } from '#store/base/seal.ts';
import { apiCheck, secretKeyText } from './seed.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;
const checksInAll = 10_000;
/** Age of the checks: older than any result. */
const ageMs = 33 * dayMs;

/** The results of one check, one per interval. */
export interface CheckPlan {
  readonly check: Check;
  readonly checkId: Uint8Array;
  readonly intervalMs: number;
  /** Slots from `from` on, epoch ms. */
  readonly from: number;
  readonly count: number;
}

/** Some checks run every minute and produce nearly all results; the others, 10,000 in total, run every six hours. */
export function planHistory(accountId: string, results: number, days: number, now: number): CheckPlan[] {
  const rare = { frequency: 360, each: days * 4 };
  const often = { frequency: 1, each: days * 1440 };
  const busy = Math.max(20, Math.round((results - checksInAll * rare.each) / (often.each - rare.each)));
  return Array.from({ length: checksInAll }, (_, index) => {
    const { frequency } = index < busy ? often : rare;
    const url = `https://shop.example/${index}`;
    const check = apiCheck(accountId, url, { frequency, frequencyOffset: null, name: `check ${index}` });
    const intervalMs = frequency * minuteMs;
    const from = nextSlot(now - days * dayMs, intervalMs, phaseMs(check.id, intervalMs));
    const count = Math.floor((now - from) / intervalMs);
    return { check, checkId: idBytes(check.id), intervalMs, from, count };
  });
}

/** The same number of results for each of 10,000 checks, up to now. */
export function planEvenly(accountId: string, count: number, frequency: number, now: number): CheckPlan[] {
  return Array.from({ length: checksInAll }, (_, index) => {
    const url = `https://shop.example/${index}`;
    const check = apiCheck(accountId, url, { frequency, frequencyOffset: null, name: `check ${index}` });
    const intervalMs = frequency * minuteMs;
    const from = nextSlot(now - count * intervalMs, intervalMs, phaseMs(check.id, intervalMs));
    return { check, checkId: idBytes(check.id), intervalMs, from, count };
  });
}

export const outcomes = { passed: 0, failed: 2, missed: 4 } as const;

/** Details of each result, of realistic size. */
export const details: Uint8Array = packed(
  encodeDetails({
    status: 200,
    statusText: 'OK',
    address: '203.0.113.17',
    protocol: { http: '1.1', tls: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' },
    phases: { wait: 0.1, dns: 11.4, tcp: 22.8, tls: 31.7, firstByte: 123.4, download: 7.6 },
    sizes: { headers: 310, body: 1963, decoded: 4200 },
    truncated: false,
    redirects: [],
    assertions: [],
  }),
);

/** Created sequentially by a program. */
export function rowOfCheck({ check }: CheckPlan, index: number, now: number): ChecksTable {
  return checkRow({ ...check, createdAt: now - ageMs + index * 10 }, createSeal(Buffer.from(secretKeyText, 'hex')));
}

/** Due in a year, so that nothing runs during the measurement. */
export function rowOfSchedule({ check, checkId, intervalMs }: CheckPlan, now: number): SchedulesTable {
  return {
    account_id: idBytes(check.accountId),
    check_id: checkId,
    next_due_at: now + 365 * dayMs,
    interval_ms: intervalMs,
    phase_ms: 0,
    locations: '[]',
    run_parallel: 0,
    planned_to: null,
  };
}

export function rowOfState({ check, checkId }: CheckPlan, now: number): CheckStatesTable {
  return {
    account_id: idBytes(check.accountId),
    check_id: checkId,
    status: 'passing',
    since: now - dayMs,
    position_at: now - minuteMs,
    position_started_at: now - minuteMs,
    failed_in_a_row: 0,
    degraded_in_a_row: 0,
    failing_since: null,
    suppressed_by: null,
    recovered_at: null,
    failed_from: null,
    passed_at: null,
    alerted: null,
    incident_id: null,
    incident_started_at: null,
    acknowledged_at: null,
    flapping: null,
    flapping_since: null,
    flapping_due_at: null,
    by_location: null,
    last_result_id: checkId,
    last_outcome: 0,
    last_reason: null,
    last_location: 'local',
    last_response_us: 180_000,
    longest_response_us: 2_000_000,
    shortest_response_us: 80_000,
    certificate_valid_to: now + 60 * dayMs,
    certificate: null,
    created_at: now - ageMs,
    updated_at: now,
    revision: 1,
  };
}
