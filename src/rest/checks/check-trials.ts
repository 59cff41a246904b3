// Routes of trials of checks.
import type { CheckTrialActions, ShownTrial } from '#actions/checks/check-trials.ts';
import type { CheckTrialBody } from '#contract/checks/check-trial.ts';
import type { Asset } from '#domain/results/asset.ts';
import type { TrialSlice } from '#domain/results/check-trial.ts';
import { resultToWire } from '../results/check-results.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';
import { inputOf } from './checks.ts';

/** The routes of trials. */
export function checkTrialRoutes(actions: CheckTrialActions): Route[] {
  return [
    route('createCheckTrial', async ({ caller, body: { check, checkId = null } }) =>
      toWire(await actions.start(caller, check.checkType, inputOf(check), checkId)),
    ),
    route('getCheckTrial', async ({ caller, params, query, signal }) =>
      toWire(
        await actions.read(caller, params.id, {
          maxMs: query.waitSeconds * 1000,
          after: query.after ?? null,
          signal,
        }),
      ),
    ),
    route('deleteCheckTrial', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

function toWire({ id, status, location, createdAt, result, screenshots, progress }: ShownTrial): CheckTrialBody {
  return {
    id,
    status,
    location,
    created_at: isoText(createdAt),
    result: result === null ? null : resultToWire(result),
    screenshots: screenshots.map(pictureToWire),
    progress: progress.map(sliceToWire),
  };
}

function sliceToWire({ number, isFirst, reported, screenshots }: TrialSlice): CheckTrialBody['progress'][number] {
  // The contract describes it.
  const part = reported as unknown as Omit<CheckTrialBody['progress'][number], 'number' | 'isFirst' | 'screenshots'>;
  return { number, isFirst, ...part, screenshots: screenshots.map(pictureToWire) };
}

function pictureToWire({ name, contentType, content }: Asset): CheckTrialBody['screenshots'][number] {
  return { name, contentType, content: Buffer.from(content).toString('base64') };
}
