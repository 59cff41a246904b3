// One account from a running installation to another (docs/decisions/0046): history first, then a pause of seconds.
import { idBytes } from '../codec.ts';
import { countedTables, type HistoryBounds, marksTable } from './account-tables.ts';
import { activateAccount } from './arrive.ts';
import { copyHistory, type HistoryNote, verifyHistory } from './copy-history.ts';
import { copyRest } from './copy-rest.ts';
import { CopyError } from './copy-installation.ts';
import {
  fewRowsOf,
  freezeAccount,
  handOver,
  markLeft,
  pauseAccount,
  removeLeft,
  renewPause,
  takeOverHanding,
} from './leave.ts';
import { requireRolledUp, rolledUpTo } from './mark-hours.ts';
import { beginMove, type KnownMove, knownMove } from './move-rows.ts';
import type { AccountListener, AccountMoving, AccountOrder } from './moving.ts';
import { createReseal } from './reseal.ts';
import { type Side, tableOf } from './side.ts';

/** What is noted in the target of a move that is under way. */
interface MoveNote extends HistoryBounds, MoveHint {
  readonly from: string;
  readonly history: HistoryNote;
}

/** What is noted on both sides: what goes on with the move when it was cut off. */
export interface MoveHint {
  readonly command: string;
}

/** And in the source. */
interface PauseNote extends MoveHint {
  /** Epoch ms. */
  readonly pausedAt: number;
}

/** Older than this a result never changes: a slot is at most a day long, and its run is late by less than an hour. */
const historyAfterMs = 25 * 3_600_000;
/** Every process has noticed by then that the account is paused, ms: each looks once a second. */
const noticedAfterMs = 2500;
const lookAgainMs = 250;

/** Moves the account, or goes on with a move that was cut off. Throws CopyError. */
export async function moveAccount(
  from: Side,
  to: Side,
  order: AccountOrder,
  listener: AccountListener,
): Promise<{ readonly pausedMs: number }> {
  const leaving = { accountId: idBytes(order.accountId), moveId: idBytes(order.moveId) };
  const there = await knownMove(from, leaving.accountId);
  const here = await knownMove(to, leaving.accountId);
  const shared = { from, to, order, listener, leaving, turn: createReseal(order.fromSeal, order.toSeal) };
  if (there?.state === 'left') return finishLeft(shared, there, here);
  if (there?.state === 'arriving')
    throw new CopyError(`the account is still arriving in ${from.shown}: finish that first`);
  const isHanding = there?.state === 'handing';
  if (!isHanding) await requireMovable(shared, here);
  if (isHanding && here?.state === 'arrived') {
    await takeOverHanding(from, leaving);
    await leave(shared);
    return { pausedMs: 0 };
  }
  const note = await beginArriving(shared, here);
  const moving: AccountMoving = { ...shared, bounds: note, nowThere: await clockOf(to), isAgain: here !== null };
  let pausedAt: number;
  if (isHanding) {
    pausedAt = (JSON.parse(there.note ?? '{}') as Partial<PauseNote>).pausedAt ?? (await from.now());
    listener.onStep('goes on where an earlier command ended: handing over');
    await takeOverHanding(from, leaving);
  } else {
    const history = await copyHistory(moving, note.history, (done) => JSON.stringify({ ...note, history: done }));
    await verifyHistory(moving, history);
    pausedAt = await pauseAndCopy(moving);
    await handOver(from, leaving);
  }
  await activate(shared);
  const pausedMs = (await from.now()) - pausedAt;
  listener.onStep(`active in ${to.shown}`);
  await leave(shared);
  return { pausedMs };
}

type Shared = Omit<AccountMoving, 'bounds' | 'nowThere' | 'isAgain'>;

/** Goes on from what a side says the time is, epoch ms, so that not every write has to ask. */
async function clockOf(side: Side): Promise<() => number> {
  const [now, begun] = [await side.now(), performance.now()];
  return () => Math.floor(now + performance.now() - begun);
}

async function requireMovable({ from, to, leaving }: Shared, here: KnownMove | null): Promise<void> {
  const isThere = async (side: Side): Promise<boolean> =>
    (await side.query('SELECT id FROM accounts WHERE id = ?', [leaving.accountId])).length > 0;
  if (!(await isThere(from))) throw new CopyError(`there is no such account in ${from.shown}`);
  if (here?.state === 'leaving' || here?.state === 'handing') {
    throw new CopyError(`the account is leaving ${to.shown} at this moment: let that move end first`);
  }
  if (await isThere(to)) throw new CopyError(`${to.shown} has an account of that id already`);
  await requireRolledUp(from, leaving.accountId);
}

/** Says in the target that the account comes, or takes over from a command that was cut off. */
async function beginArriving(
  { from, to, leaving, order: { command } }: Shared,
  here: KnownMove | null,
): Promise<MoveNote> {
  const earlier = here?.state === 'arriving' && here.note ? (JSON.parse(here.note) as MoveNote) : null;
  const note: MoveNote =
    earlier?.from === from.shown
      ? { ...earlier, command }
      : { from: from.shown, command, ...(await boundsOf(from, leaving.accountId)), history: null };
  const now = await to.now();
  await to.write(async (writing) => {
    const known = await knownMove(writing, leaving.accountId);
    if (known?.state !== here?.state) throw new CopyError('another command is at this account: let it end');
    await beginMove(writing, leaving.accountId, leaving.moveId, { state: 'arriving', note: JSON.stringify(note) }, now);
  });
  return note;
}

/** From when on the account's rows may still change in the source. */
async function boundsOf(from: Side, accountId: Uint8Array): Promise<HistoryBounds> {
  const boundAt = (await from.now()) - historyAfterMs;
  const [late] = await from.query(`SELECT min(start_at) AS at FROM ${marksTable} WHERE account_id = ?`, [accountId]);
  const lateAt = late?.['at'] ?? boundAt;
  return { boundAt, rolledBoundAt: Math.min(boundAt, Number(lateAt), (await rolledUpTo(from)) ?? boundAt) };
}

/** From the pause, at the instant that it answers with, to the moment at which the target holds all that there is. */
async function pauseAndCopy(moving: AccountMoving): Promise<number> {
  const { from, order, leaving, listener } = moving;
  listener.onStep('paused');
  const pausedAt = await from.now();
  await pauseAccount(from, leaving, JSON.stringify({ command: order.command, pausedAt } satisfies PauseNote));
  for (;;) {
    const held = await renewPause(from, leaving);
    const waitedMs = (await from.now()) - pausedAt;
    if (waitedMs >= noticedAfterMs && (held === 0 || waitedMs >= order.graceMs)) break;
    await order.pause(lookAgainMs);
  }
  await freezeAccount(from, leaving);
  await copyRest(moving);
  return pausedAt;
}

async function activate({ from, to, leaving, turn }: Shared): Promise<void> {
  const { accountId, moveId } = leaving;
  const accounts = tableOf(to, 'accounts');
  const rows = await from.query(`SELECT ${accounts.columns.join(', ')} FROM accounts WHERE id = ?`, [accountId]);
  const keys = await from.query(
    'SELECT k.* FROM api_keys k JOIN api_key_accounts r ON r.api_key_id = k.id WHERE r.account_id = ?',
    [accountId],
  );
  const counted: Awaited<ReturnType<typeof fewRowsOf>>[] = [];
  for (const name of countedTables) counted.push(await fewRowsOf(from, name, accountId));
  const arriving = [{ table: accounts, rows }, ...counted].map(({ table, rows: all }) => ({
    table: tableOf(to, table.name),
    rows: all.map(turn),
  }));
  await activateAccount(to, { accountId, moveId, rows: arriving, keys });
}

/** The source says where the account lives now, and lets go of its rows. */
async function leave({ from, order, leaving, listener }: Shared): Promise<void> {
  await markLeft(from, leaving, order.place);
  listener.onStep(`${from.shown} shows the way to ${order.place}`);
  await removeLeft(from, leaving.accountId, (rows) => listener.onRows(rows));
}

async function finishLeft(
  { from, to, leaving, listener }: Shared,
  there: KnownMove,
  here: KnownMove | null,
): Promise<{ pausedMs: number }> {
  if (here?.state !== 'arrived') {
    throw new CopyError(
      `the account has left ${from.shown} for ${there.place ?? 'another installation'}, not for ${to.shown}`,
    );
  }
  listener.onStep('has moved already: the rest of its rows goes');
  await removeLeft(from, leaving.accountId, (rows) => listener.onRows(rows));
  return { pausedMs: 0 };
}
