// Progress of a long command: a bar on a terminal, plain lines elsewhere.

/** Output of a progress display. */
export interface Screen {
  readonly write: (text: string) => unknown;
  readonly isTerminal: boolean;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/** Progress of a sequence of steps of known size. */
export interface Progress {
  /** Starts the next step, with its number of items. 0 = unknown; such a step is not shown while it has no items. */
  begin(what: string, of: number): void;
  add(steps: number): void;
  /** Prints a line. */
  say(line: string): void;
  /** Ends the last step. */
  end(): void;
}

const barWidth = 24;
const redrawMs = 100;
/** Interval between lines if the output is not a terminal, in ms. */
const lineMs = 5000;

/** @param what plural noun for the items */
export function createProgress({ write, isTerminal, now }: Screen, what = 'rows'): Progress {
  let current: { what: string; of: number; done: number; startedAt: number } | null = null;
  let shownAt = 0;
  const stand = (): string => {
    if (current === null) return '';
    const { what: thing, of, done, startedAt } = current;
    const rate = Math.round(done / Math.max(0.001, (now() - startedAt) / 1000));
    return `${thing.padEnd(26)} ${done}${of > 0 ? ` of ${of}` : ''} ${what}${rate > 0 ? `, ${rate}/s` : ''}`;
  };
  const bar = (): string => {
    if (current === null || current.of === 0) return `[${'-'.repeat(barWidth)}]      `;
    const share = Math.min(1, current.done / current.of);
    const filled = Math.round(share * barWidth);
    return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
  };
  const show = (isEnd: boolean): void => {
    shownAt = now();
    if (isTerminal) write(`\r\u001b[K${bar()}  ${stand()}${isEnd ? '\n' : ''}`);
    else write(`${stand()}\n`);
  };
  const end = (): void => {
    const isNothing = current !== null && current.of === 0 && current.done === 0;
    if (isNothing && isTerminal) write('\r\u001b[K');
    if (current !== null && !isNothing) show(true);
    current = null;
  };
  return {
    begin(thing, of) {
      end();
      current = { what: thing, of, done: 0, startedAt: now() };
      shownAt = now();
      if (isTerminal) show(false);
    },
    add(steps) {
      if (current === null) return;
      current.done += steps;
      if (now() - shownAt >= (isTerminal ? redrawMs : lineMs)) show(false);
    },
    say(line) {
      write(isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`);
    },
    end,
  };
}
