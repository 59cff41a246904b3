// All tools of the Model Context Protocol.
import { mayDo, type Role } from '#domain/accounts/api-key.ts';
import { acknowledge } from './acknowledge.ts';
import { applyChange, backtest, proposeChange } from './changes.ts';
import { explainFailure } from './explanation.ts';
import { findChecks, listFailures } from './failures.ts';
import { listResults, readResult } from './results.ts';
import { runCheck } from './runs.ts';
import { draftIncident, listStatusPages } from './status-pages.ts';
import type { Tool } from './tool.ts';

export const tools: readonly Tool[] = [
  listFailures,
  explainFailure,
  findChecks,
  listResults,
  readResult,
  runCheck,
  backtest,
  proposeChange,
  applyChange,
  acknowledge,
  listStatusPages,
  draftIncident,
];

/** The tools that a role may call. */
export function toolsOf(role: Role): readonly Tool[] {
  return tools.filter(({ permission }) => mayDo(role, permission));
}
