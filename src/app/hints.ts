// Hints within and between processes: they wake a loop or a waiting request.
import { createHints, type Hints } from '#lib/hints.ts';
import type { Store } from '#store/store.ts';
import type { OwnProcess } from './process.ts';
import { type LoopName, loopNames } from '#config/roles.ts';

/** Hints of the steps and the actions. */
export interface JoinedHints {
  /** Wakes a loop, in this process or wherever it runs. */
  readonly wake: (name: LoopName) => void;
  /** Tells other processes that runs were moved to another location, whose next poll may be far off. */
  readonly onRunsElsewhere: () => void;
  /** Tells waiting requests in all processes that results were recorded. */
  readonly onRecorded: () => void;
  /** Tells waiting requests in all processes that something happened in a test session. */
  readonly onTested: () => void;
  /** Tells waiting requests in all processes that delivery attempts were recorded. */
  readonly onLogged: () => void;
  /** Tells other processes that the clock was set, so that they read the time at once. */
  readonly onClockSet: () => void;
  /** Tells other processes that a key was revoked, a session ended, or their accounts changed. */
  readonly onKeysChanged: () => void;
  /** Tells processes that serve visitors that status pages were built. */
  readonly onPagesBuilt: () => void;
  /** Tells processes that render that an alert channel was changed, so that they compile its templates. */
  readonly onChannelsChanged: () => void;
  readonly resultHints: Hints;
  readonly testHints: Hints;
  readonly attemptHints: Hints;
  /** Starts listening to other processes and makes each of them look for new processes. */
  readonly listen: () => void;
}

/**
 * @param wakeHere false = the loop does not run in this process
 * @param forgetKeys called when keys were changed in another process
 */
export function composeHints(
  { wakes }: Pick<Store, 'wakes'>,
  ownProcess: Pick<OwnProcess, 'known' | 'sign'>,
  wakeHere: (name: LoopName) => boolean | undefined,
  forgetKeys: () => void,
): JoinedHints {
  const [resultHints, testHints, attemptHints, keyHints] = Array.from({ length: 4 }, createHints) as [
    Hints,
    Hints,
    Hints,
    Hints,
  ];
  keyHints.listen(forgetKeys);
  const remoteHints: Readonly<Record<string, Hints>> = {
    results: resultHints,
    tests: testHints,
    attempts: attemptHints,
    keys: keyHints,
  };
  const notify = (name: string): void => {
    if (ownProcess.known().length > 1) wakes.send(name);
  };
  const notifyOf = (name: 'results' | 'tests' | 'attempts') => (): void => {
    remoteHints[name]?.hint();
    notify(name);
  };
  return {
    // Not announced if this process can do the work: others would only compete for it.
    wake: (name) => {
      if (wakeHere(name) !== true) notify(name);
    },
    onRunsElsewhere: () => notify('run-checks'),
    onRecorded: notifyOf('results'),
    onTested: notifyOf('tests'),
    onLogged: notifyOf('attempts'),
    onClockSet: () => notify('follow-clock'),
    onKeysChanged: () => notify('keys'),
    onPagesBuilt: () => {
      wakeHere('take-up-pages');
      notify('take-up-pages');
    },
    onChannelsChanged: () => notify('keep-templates'),
    resultHints,
    testHints,
    attemptHints,
    listen() {
      wakes.listen((name) => {
        const loops = loopNames.filter((loop) => name === null || loop === name);
        for (const loop of loops) wakeHere(loop);
        for (const [what, hints] of Object.entries(remoteHints)) if (name === null || what === name) hints.hint();
      });
      const signing: LoopName = 'process-heartbeat';
      void ownProcess.sign().then(
        () => wakes.send(signing),
        () => undefined,
      );
    },
  };
}
