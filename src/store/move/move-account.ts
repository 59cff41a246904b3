// One account from a running installation to another (docs/decisions/0046): history first, then a pause of seconds.
import { firstIdAt, idBytes } from '../codec.ts';
import { arrivingTables } from './account-tables.ts';
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
import { beginMove, type KnownMove, knownMove, readMove } from './move-rows.ts';
import type { AccountListener, AccountMoving, AccountOrder } from './moving.ts';
import { createReseal } from './reseal.ts';
import { readProgress } from '../roll-up-progress.ts';
import { readFact, type Side, tableOf } from './side.ts';

/** What is noted in the target of a move that is under way. */
interface MoveNote {
  readonly from: string;
  /** Epoch ms. */
  readonly boundAt: number;
  readonly history: HistoryNote;
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
  const there = await readMove(from, leaving.accountId);
  const here = await readMove(to, leaving.accountId);
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
  const moving: AccountMoving = { ...shared, bound: firstIdAt(note.boundAt), isAgain: here !== null };
  let pausedAt = await from.now();
  if (isHanding) {
    listener.onStep('goes on where an earlier command ended: handing over');
    await takeOverHanding(from, leaving);
  } else {
    const history = await copyHistory(moving, note.history, (done) => JSON.stringify({ ...note, history: done }));
    await verifyHistory(moving, history);
    pausedAt = await from.now();
    await pauseAndCopy(moving, history);
    await handOver(from, leaving);
  }
  await activate(shared);
  const pausedMs = (await from.now()) - pausedAt;
  listener.onStep(`active in ${to.shown}`);
  await leave(shared);
  return { pausedMs };
}

type Shared = Omit<AccountMoving, 'bound' | 'isAgain'>;

async function requireMovable({ from, to, leaving }: Shared, here: KnownMove | null): Promise<void> {
  const isThere = async (side: Side): Promise<boolean> =>
    side.write(
      async (writing) => (await writing.query('SELECT id FROM accounts WHERE id = ?', [leaving.accountId])).length > 0,
    );
  if (!(await isThere(from))) throw new CopyError(`there is no such account in ${from.shown}`);
  if (here?.state === 'leaving' || here?.state === 'handing') {
    throw new CopyError(`the account is leaving ${to.shown} at this moment: let that move end first`);
  }
  if (await isThere(to)) throw new CopyError(`${to.shown} has an account of that id already`);
}

/** Says in the target that the account comes, or takes over from a command that was cut off. */
async function beginArriving({ from, to, leaving }: Shared, here: KnownMove | null): Promise<MoveNote> {
  const earlier = here?.state === 'arriving' && here.note ? (JSON.parse(here.note) as MoveNote) : null;
  const note: MoveNote =
    earlier?.from === from.shown
      ? earlier
      : { from: from.shown, boundAt: (await from.now()) - historyAfterMs, history: null };
  const now = await to.now();
  await to.write(async (writing) => {
    const known = await knownMove(writing, leaving.accountId);
    if (known?.state !== here?.state) throw new CopyError('another command is at this account: let it end');
    await beginMove(writing, leaving.accountId, leaving.moveId, { state: 'arriving', note: JSON.stringify(note) }, now);
  });
  return note;
}

/** From the pause to the moment at which the target holds all that there is. */
async function pauseAndCopy(moving: AccountMoving, history: HistoryNote): Promise<void> {
  const { from, order, leaving, listener } = moving;
  listener.onStep('paused');
  const pausedAt = await from.now();
  await pauseAccount(from, leaving);
  for (;;) {
    const held = await renewPause(from, leaving);
    const waitedMs = (await from.now()) - pausedAt;
    if (waitedMs >= noticedAfterMs && (held === 0 || waitedMs >= order.graceMs)) break;
    await order.pause(lookAgainMs);
  }
  await freezeAccount(from, leaving);
  await copyRest(moving, history);
}

async function activate({ from, to, leaving, turn }: Shared): Promise<void> {
  const { accountId, moveId } = leaving;
  const accounts = tableOf(to, 'accounts');
  const [rows, keys] = await from.write(async (writing) => {
    const reaching = `SELECT k.* FROM api_keys k JOIN api_key_accounts r ON r.api_key_id = k.id WHERE r.account_id = ?`;
    const own = await writing.query(`SELECT ${accounts.columns.join(', ')} FROM accounts WHERE id = ?`, [accountId]);
    return [own, await writing.query(reaching, [accountId])];
  });
  const counted: Awaited<ReturnType<typeof fewRowsOf>>[] = [];
  for (const name of arrivingTables) counted.push(await fewRowsOf(from, name, accountId));
  const arriving = [{ table: accounts, rows }, ...counted].map(({ table, rows: all }) => ({
    table: tableOf(to, table.name),
    rows: all.map(turn),
  }));
  // Hours that the source may have rolled up while its roll-ups were copied, or not at all.
  const rolledUp = readProgress(await readFact(from, 'rolled-up'));
  await activateAccount(to, { accountId, moveId, rows: arriving, keys, rolledUpTo: rolledUp?.hourAt ?? null });
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
