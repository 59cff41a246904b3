// Hints within this process and between processes: work for a loop, or news for whoever waits.
import { createHints, type Hints } from '#lib/hints.ts';
import type { Store } from '#store/store.ts';
import type { OwnProcess } from './process.ts';
import { type LoopName, loopNames } from '#config/roles.ts';

/** What the path and the actions hint at, and listen to. */
export interface JoinedHints {
  /** Wakes a loop, here or wherever it turns. */
  readonly wake: (name: LoopName) => void;
  /** Runs were sent to another location, where nobody would look in time: told to the other processes. */
  readonly onRunsElsewhere: () => void;
  /** Results were recorded: told here, and to who waits in other processes. */
  readonly onRecorded: () => void;
  /** Delivery attempts were logged: the same. */
  readonly onLogged: () => void;
  /** The clock was set: the other processes ask at once what time it is. */
  readonly onClockSet: () => void;
  /** A key was revoked, or its accounts have changed: told to the other processes. */
  readonly onKeysChanged: () => void;
  /** An alert channel was written: whoever renders compiles its templates. */
  readonly onChannelsChanged: () => void;
  readonly resultHints: Hints;
  readonly attemptHints: Hints;
  /** Begins to listen to the other processes, and has each of them look who is there now. */
  readonly listen: () => void;
}

/**
 * @param wakeHere false = that loop does not turn in this process
 * @param forgetKeys what is done when keys were changed elsewhere
 */
export function joinHints(
  { wakes }: Pick<Store, 'wakes'>,
  ownProcess: Pick<OwnProcess, 'known' | 'sign'>,
  wakeHere: (name: LoopName) => boolean | undefined,
  forgetKeys: () => void,
): JoinedHints {
  const [resultHints, attemptHints, keyHints] = [createHints(), createHints(), createHints()];
  keyHints.listen(forgetKeys);
  const news: Readonly<Record<string, Hints>> = { results: resultHints, attempts: attemptHints, keys: keyHints };
  const tell = (name: string): void => {
    if (ownProcess.known().length > 1) wakes.send(name);
  };
  const tellNews = (name: 'results' | 'attempts') => (): void => {
    news[name]?.hint();
    tell(name);
  };
  return {
    // Work that this process can do itself is not announced: the others would only race for it.
    wake: (name) => {
      if (wakeHere(name) !== true) tell(name);
    },
    onRunsElsewhere: () => tell('run-checks'),
    onRecorded: tellNews('results'),
    onLogged: tellNews('attempts'),
    onClockSet: () => tell('follow-clock'),
    onKeysChanged: () => tell('keys'),
    onChannelsChanged: () => tell('keep-templates'),
    resultHints,
    attemptHints,
    listen() {
      wakes.listen((name) => {
        const loops = loopNames.filter((loop) => name === null || loop === name);
        for (const loop of loops) wakeHere(loop);
        for (const [what, hints] of Object.entries(news)) if (name === null || what === name) hints.hint();
      });
      const signing: LoopName = 'sign-of-life';
      void ownProcess.sign().then(
        () => wakes.send(signing),
        () => undefined,
      );
    },
  };
}
