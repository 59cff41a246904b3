// The terminal while `top` draws on it: another screen, keys, and the way back on every end.
import type { Size } from './frame.ts';

/** Keys that have an effect. */
export type Key = 'up' | 'down' | 'page-up' | 'page-down' | 'enter' | 'back' | 'quit';

export interface Screen {
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
export function openScreen(onKey: (key: Key) => void, onResize: () => void): Screen {
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
