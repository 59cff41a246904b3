// Passes on what a running script has reported: in bounded pieces, at most one per second.
import type { ScriptProgress, ScriptWork } from '#domain/checks/script.ts';
import { trialAssetBytes } from '#domain/results/check-trial.ts';
import type { Report, ReportedAsset } from './report.ts';
import type { TakenAssets } from './take-assets.ts';

/** Maximum characters of a piece, but for its last entry, and of all pieces of a run. */
const max = { piece: 64 * 1024, run: 1 << 20 };
/** Maximum screenshots of a piece, because each is read into memory. */
const maxScreenshots = 3;

export interface FollowOptions {
  /** Epoch ms. */
  readonly startedAt: number;
  readonly onProgress: NonNullable<ScriptWork['onProgress']>;
  /** Reads reported files; never rejects. */
  readonly take: (wanted: readonly ReportedAsset[]) => Promise<Pick<TakenAssets, 'assets'>>;
  /** Time between two pieces, ms. */
  readonly everyMs?: number;
}

/** Follows a report that grows. @returns a function that ends it and resolves once nothing is being passed on */
export function followReport(report: Report, options: FollowOptions): () => Promise<void> {
  const next = createPieces(report, options);
  let passing = Promise.resolve();
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    passing = next()
      .then((piece) => (piece === null ? undefined : options.onProgress(piece)))
      // What was not passed on is in the outcome.
      .catch(() => undefined)
      .finally(() => (isBusy = false));
  }, options.everyMs ?? 1000);
  return () => {
    clearInterval(timer);
    return passing;
  };
}

/** Returns what is new since the last call; null = nothing. */
function createPieces(report: Report, { startedAt, take }: FollowOptions): () => Promise<ScriptProgress | null> {
  const passed = { steps: 0, log: 0, pageLines: 0, assets: 0 };
  let textLeft = max.run;
  let bytesLeft = trialAssetBytes;
  let openStep: Report['openStep'] = null;
  let isCut = false;
  const newOf = <List extends 'steps' | 'log' | 'pageLines'>(list: List, room: { left: number }): Report[List] => {
    const from = passed[list];
    while (passed[list] < report[list].length && room.left > 0) {
      room.left -= JSON.stringify(report[list][passed[list]]).length;
      passed[list]++;
    }
    return report[list].slice(from, passed[list]) as Report[List];
  };
  const screenshots = async (): Promise<ScriptProgress['screenshots']> => {
    // Final screenshots depend on the outcome.
    const wanted = report.assets
      .slice(passed.assets)
      .filter(({ sort, isOfFailure }) => sort === 'screenshot' && !isOfFailure);
    const now = wanted.slice(0, maxScreenshots);
    passed.assets =
      now.length < wanted.length ? report.assets.indexOf(now.at(-1) as ReportedAsset) + 1 : report.assets.length;
    if (now.length === 0 || bytesLeft <= 0) return [];
    return (await take(now)).assets.filter(({ content }) => {
      const fits = content.length <= bytesLeft;
      if (fits) bytesLeft -= content.length;
      return fits;
    });
  };
  return async () => {
    const room = { left: Math.min(max.piece, textLeft) };
    const before = room.left;
    const [steps, log, pageLines] = [newOf('steps', room), newOf('log', room), newOf('pageLines', room)];
    textLeft -= before - room.left;
    const taken = await screenshots();
    const becomesCut = !isCut && textLeft <= 0;
    const isNew = steps.length + log.length + pageLines.length + taken.length > 0;
    if (!isNew && openStep === report.openStep && !becomesCut) return null;
    isCut ||= becomesCut;
    ({ openStep } = report);
    return { startedAt, steps, openStep, log, pageLines, screenshots: taken, isCut };
  };
}
