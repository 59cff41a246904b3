// The picture of `top` at several sizes, and its keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textWidth } from '../table.ts';
import { type Board, frameLines, sorted, type View } from './frame.ts';
import { keysIn, moved } from './watch.ts';

const now = Date.UTC(2026, 0, 31, 12);
const iso = (agoMs: number): string => new Date(now - agoMs).toISOString();

function status(number: number, more: Partial<Board['statuses'][number]> = {}): Board['statuses'][number] {
  const at = iso(number * 60_000);
  return {
    name: `Check ${number}`,
    checkId: `01a227dd-7db0-746b-bb59-${String(number).padStart(12, '0')}`,
    state: 'passing',
    since: at,
    reason: null,
    nextRunAt: null,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    longestRun: null,
    shortestRun: null,
    lastRunLocation: null,
    lastCheckRunId: null,
    sslDaysRemaining: null,
    incidentId: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    suppressedBy: null,
    flappingSince: null,
    created_at: at,
    updated_at: at,
    ...more,
  };
}

const failing = status(90, {
  name: 'Shop \u001b[2J\nevil',
  state: 'failing',
  reason: 'timeout',
  acknowledgedAt: iso(0),
});
const statuses = [
  ...Array.from({ length: 50 }, (_, index) => status(index)),
  status(60, { state: 'paused', since: null }),
  failing,
];
const board: Board = { url: 'https://t.example', account: 'Shop', statuses, incidents: [], isLive: true };
const view: View = { selectedId: null, details: null, scroll: 0 };

test('failing checks are first, then those that changed last', () => {
  assert.deepEqual(
    sorted(statuses)
      .map(({ name }) => name)
      .slice(0, 3),
    [failing.name, 'Check 0', 'Check 1'],
  );
});

test('the picture fills every size exactly, without escape sequences of names', () => {
  for (const [columns, rows] of [
    [100, 30],
    [40, 10],
    [20, 5],
    [5, 2],
    [1, 1],
  ] as const) {
    const lines = frameLines(board, view, { columns, rows }, now, false);
    assert.equal(lines.length, rows);
    for (const line of lines) assert.ok(textWidth(line) <= Math.max(columns, 22), `${columns}: ${line}`);
  }
  const lines = frameLines(board, view, { columns: 100, rows: 30 }, now, false);
  assert.equal(lines[0], 'Tocsin  12:00:00 UTC  Shop  https://t.example');
  assert.equal(lines[1], '1 failing, 50 passing, 1 paused');
  assert.equal(lines[3], 'Shop \\u001b[2J evil  failing      1 h  timeout, acknowledged');
  assert.match(
    frameLines({ ...board, isLive: false }, view, { columns: 100, rows: 9 }, now, false)[0] ?? '',
    /^NOT CONNECTED/,
  );
});

test('the selected check stays in sight, and the ends of the list hold the selection', () => {
  let selection = view;
  for (let step = 0; step < 70; step++) selection = moved(selection, board, 'down');
  const lines = frameLines(board, selection, { columns: 60, rows: 12 }, now, true);
  assert.ok(
    lines.some((line) => line.startsWith('\u001b[7mCheck 60')),
    lines.join('\n'),
  );
  assert.equal(moved(selection, board, 'page-up').selectedId, sorted(statuses)[41]?.checkId);
  assert.equal(moved(view, { ...board, statuses: [] }, 'down').selectedId, null);
});

test('details scroll no further than to their last line', () => {
  const details: View = { selectedId: failing.checkId, details: [], scroll: 0 };
  assert.equal(moved(details, board, 'page-down').scroll, 2);
  assert.equal(moved(details, board, 'up').scroll, 0);
  assert.equal(moved(details, board, 'back').details, null);
  assert.match(
    frameLines(board, details, { columns: 80, rows: 10 }, now, false).join('\n'),
    /There are no results yet\./,
  );
});

test('keys are read from what terminals send, several at a time', () => {
  assert.deepEqual(keysIn('\u001b[A\u001bOBj\u001b[6~\r\u001b'), ['up', 'down', 'down', 'page-down', 'enter', 'back']);
  assert.deepEqual(keysIn('xé\u001b[1;5C\u001b[200~q'), ['quit']);
});
