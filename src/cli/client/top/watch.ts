// `top` on a terminal: draws the board, follows changes and takes keys until it is ended.
import { systemClock } from '#lib/clock.ts';
import { type Change, followChanges } from '../changes.ts';
import type { Connection } from '../connect.ts';
import { eventually } from '../eventually.ts';
import { type Board, detailLines, frameLines, selectedIndex, sorted, type View } from './frame.ts';
import { type Key, openScreen, type Screen } from './screen.ts';

/** Minimum interval between reads of the board, and between drawings without a change, ms. */
const [readEveryMs, drawEveryMs] = [1000, 1000];
/** Results in the details. */
const resultsShown = 10;
/** Lines that a page key moves. */
const pageLines = 10;

/** Draws until a key or signal ends it, and restores the terminal also if it fails. @param read reads the board again */
export async function watchOnTerminal(
  connection: Connection,
  first: Board,
  read: () => Promise<Board>,
  ended: AbortController,
): Promise<void> {
  let board = first;
  let view: View = { selectedId: null, details: null, scroll: 0 };
  let screen: Screen | null = null;
  const isColored = process.stdout.hasColors() && process.stdout.getColorDepth() > 1;
  const draw = (): void => {
    if (screen !== null) screen.draw(frameLines(board, view, screen.size(), systemClock.now(), isColored));
  };
  const readDetails = async (): Promise<void> => {
    const list = sorted(board.statuses);
    const checkId = list[selectedIndex(list, view.selectedId)]?.checkId;
    if (checkId === undefined) return;
    const query = { limit: resultsShown };
    const details = await connection.client.call('listCheckResults', { params: { checkId }, query });
    view = { ...view, selectedId: checkId, details };
  };
  const refresh = eventually(readEveryMs, async () => {
    board = await read();
    if (view.details !== null) await readDetails();
    draw();
  });
  const onKey = (key: Key): void => {
    if (key === 'quit' || (key === 'back' && view.details === null)) ended.abort();
    else if (key === 'enter' && view.details === null) void readDetails().then(draw, () => undefined);
    else view = moved(view, board, key);
    draw();
  };
  screen = openScreen(onKey, draw);
  const clock = setInterval(draw, drawEveryMs);
  try {
    draw();
    await followChanges(
      connection,
      {
        onConnected: refresh,
        onChange: ({ states, results, alerts, checks }: Change) => {
          if (states.length > 0 || alerts || checks || (results.length > 0 && view.details !== null)) refresh();
        },
        onLost: () => {
          board = { ...board, isLive: false };
          draw();
        },
      },
      ended.signal,
    );
  } finally {
    clearInterval(clock);
    screen.restore();
  }
}

/** The view after a key. */
export function moved(view: View, board: Board, key: Key): View {
  const step = { up: -1, down: 1, 'page-up': -pageLines, 'page-down': pageLines, enter: 0, back: 0, quit: 0 }[key];
  if (key === 'back') return { ...view, details: null, scroll: 0 };
  if (view.details !== null) {
    const last = detailLines(board, view).length - 1;
    return { ...view, scroll: Math.max(0, Math.min(last, view.scroll + step)) };
  }
  const list = sorted(board.statuses);
  const index = Math.max(0, Math.min(list.length - 1, selectedIndex(list, view.selectedId) + step));
  return { ...view, selectedId: list[index]?.checkId ?? null };
}
