// Runs the settings once: starts a trial, follows what it reports, and stops it.
import { use, useEffect, useRef, useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf, ServiceError } from '../../api/client.ts';
import type { Draft } from '../../ui/form/draft.ts';

export type Trial = AnswerOf<'getCheckTrial'>;
type Slice = Trial['progress'][number];

/** What a script has reported so far. */
export type Progress = Omit<Slice, 'number' | 'isFirst'>;

interface State {
  readonly trial: Trial | null;
  /** null = nothing yet. */
  readonly progress: Progress | null;
  /** The settings that it ran with. */
  readonly tried: Draft;
  readonly error: unknown;
  readonly isRunning: boolean;
}

export interface TrialRun extends State {
  readonly run: () => void;
  readonly stop: () => void;
}

/** Attempts to reach the server again, and the time between them, ms. */
const [retries, retryMs] = [20, 1000];

const nothing: State = { trial: null, progress: null, tried: {}, error: null, isRunning: false };

/** @param checkId the stored check whose secrets the settings may mask; null = none */
export function useTrial(checkType: string, draft: Draft, checkId: string | null): TrialRun {
  const accountId = use(AccountContext);
  const [state, setState] = useState(nothing);
  const current = useRef<AbortController | null>(null);
  const stop = (): void => current.current?.abort();
  // A person who leaves the page does not wait for it.
  useEffect(() => () => current.current?.abort(), []);
  const run = async (): Promise<void> => {
    stop();
    const ending = new AbortController();
    current.current = ending;
    const { signal } = ending;
    const show = (next: Partial<State>): void => {
      if (!signal.aborted) setState((previous) => ({ ...previous, ...next }));
    };
    setState({ ...nothing, tried: draft, isRunning: true });
    const client = clientOf(accountId);
    try {
      const check = { checkType, ...draft, name: draft['name'] || 'Trial' };
      const { id } = await client.call('createCheckTrial', {
        // The form of the kind describes the body.
        body: { check, ...(checkId !== null && { checkId }) },
      });
      const remove = (): void => void client.call('deleteCheckTrial', { params: { id } }).catch(() => undefined);
      if (signal.aborted) return remove();
      signal.addEventListener('abort', remove);
      let progress: Progress | null = null;
      for (let after = 0, fails = 0, isOver = false; !isOver;) {
        const query = { waitSeconds: 20, after };
        const trial = await client.call('getCheckTrial', { params: { id }, query, signal }).catch((error: unknown) => {
          // A lost connection does not end the run.
          if (error instanceof ServiceError || signal.aborted || ++fails > retries) throw error;
          return null;
        });
        if (trial === null) {
          await new Promise((resolve) => setTimeout(resolve, retryMs));
          continue;
        }
        fails = 0;
        for (const slice of trial.progress)
          progress = slice.isFirst || progress === null ? slice : joined(progress, slice);
        after = trial.progress.at(-1)?.number ?? after;
        isOver = trial.status === 'ended';
        show({ trial, progress, isRunning: !isOver });
      }
      signal.removeEventListener('abort', remove);
    } catch (error) {
      show({ trial: null, progress: null, error, isRunning: false });
    }
  };
  return {
    ...state,
    run: () => void run(),
    stop: () => {
      stop();
      setState({ ...nothing, tried: state.tried });
    },
  };
}

function joined(progress: Progress, slice: Slice): Progress {
  return {
    openStep: slice.openStep,
    steps: [...progress.steps, ...slice.steps],
    jobLog: [...progress.jobLog, ...slice.jobLog],
    pageLines: [...progress.pageLines, ...slice.pageLines],
    screenshots: [...progress.screenshots, ...slice.screenshots],
    isCut: slice.isCut,
  };
}
