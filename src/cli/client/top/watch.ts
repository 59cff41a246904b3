// `top` on a terminal: draws the board, follows changes and takes keys until it is ended.
import { systemClock } from '#lib/clock.ts';
import { type Change, followChanges } from '../changes.ts';
import type { Connection } from '../connect.ts';
import { eventually } from '../eventually.ts';
import { type Board, detailLines, frameLines, selectedIndex, sorted, type View, type Size } from './frame.ts';

/** Keys that have an effect. */
type Key = 'up' | 'down' | 'page-up' | 'page-down' | 'enter' | 'back' | 'quit';

interface Screen {
  readonly size: () => Size;
  readonly draw: (lines: readonly string[]) => void;
  /** Gives the terminal back as it was. Idempotent. */
  readonly restore: () => void;
}

const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';

const keys: Readonly<Record<string, Key>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  k: 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  j: 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  ' ': 'page-down',
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'back',
  '\u007f': 'back',
  q: 'quit',
  '\u0003': 'quit',
  '\u0004': 'quit',
};

/** The keys in a chunk of input; others are ignored. */
export function keysIn(chunk: string): readonly Key[] {
  // oxlint-disable-next-line no-control-regex -- keys are sent as escape sequences
  const parts = chunk.match(/\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])?|[^\u001b]/g) ?? [];
  return parts.flatMap((part) => (Object.hasOwn(keys, part) && keys[part] !== undefined ? [keys[part]] : []));
}

/** Takes the terminal. @param onResize the picture must be drawn again */
function openScreen(onKey: (key: Key) => void, onResize: () => void): Screen {
  const { stdin, stdout } = process;
  let isOpen = true;
  const onData = (chunk: Buffer): void => keysIn(chunk.toString('utf8')).forEach(onKey);
  const restore = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stdin.off('data', onData);
    stdout.off('resize', onResize);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(leave);
  };
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on('data', onData);
  stdout.on('resize', onResize);
  stdout.write(enter);
  process.once('exit', restore);
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    draw(lines) {
      if (isOpen) stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
    },
    restore,
  };
}

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
