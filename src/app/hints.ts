// Hints within and between processes: they wake a loop or a waiting request.
import { createHints, type Hints } from '#lib/hints.ts';
import type { Store } from '#store/store.ts';
import type { OwnProcess } from './process.ts';
import { type LoopName, loopNames } from '#config/roles.ts';

/** Hints of the steps and the actions. */
export type JoinedHints = ReturnType<typeof composeHints>;

/**
 * @param wakeHere false = the loop does not run in this process
 * @param forgetKeys called when keys were changed in another process
 */
export function composeHints(
  { wakes }: Pick<Store, 'wakes'>,
  ownProcess: Pick<OwnProcess, 'known' | 'sign'>,
  wakeHere: (name: LoopName) => boolean | undefined,
  forgetKeys: () => void,
) {
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
    /** Wakes a loop, in this process or wherever it runs. */
    wake: (name: LoopName): void => {
      if (wakeHere(name) !== true) notify(name);
    },
    /** Tells other processes that runs were moved to another location, whose next poll may be far off. */
    onRunsElsewhere: (): void => notify('run-checks'),
    /** Tells waiting requests in all processes that results were recorded. */
    onRecorded: notifyOf('results'),
    /** Tells waiting requests in all processes that something happened in a test session. */
    onTested: notifyOf('tests'),
    /** Tells waiting requests in all processes that delivery attempts were recorded. */
    onLogged: notifyOf('attempts'),
    /** Tells other processes that the clock was set, so that they read the time at once. */
    onClockSet: (): void => notify('follow-clock'),
    /** Tells other processes that a key was revoked, a session ended, or their accounts changed. */
    onKeysChanged: (): void => notify('keys'),
    /** Tells processes that serve visitors that status pages were built. */
    onPagesBuilt: (): void => {
      wakeHere('take-up-pages');
      notify('take-up-pages');
    },
    /** Tells processes that render that an alert channel was changed, so that they compile its templates. */
    onChannelsChanged: (): void => notify('keep-templates'),
    resultHints,
    testHints,
    attemptHints,
    /** Starts listening to other processes and makes each of them look for new processes. */
    listen(): void {
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
