// How far a long command is: a bar on a terminal, plain lines elsewhere.

/** Where progress is shown. */
export interface Screen {
  readonly write: (text: string) => unknown;
  readonly isTerminal: boolean;
  /** ms of a clock that is never set. */
  readonly now: () => number;
}

/** One thing after the other, each with a known size. */
export interface Progress {
  /** Begins the next thing, of so many steps; 0 = how many there are is not known, and nothing is said if there is none. */
  begin(what: string, of: number): void;
  add(steps: number): void;
  /** A line of its own. */
  say(line: string): void;
  /** The last thing is done. */
  end(): void;
}

const barWidth = 24;
const redrawMs = 100;
/** Elsewhere than on a terminal a line now and then is enough, ms. */
const lineMs = 5000;

/** @param what what the steps are, in the plural */
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
    return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
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
