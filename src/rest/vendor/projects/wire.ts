// Deployments as the `checkly` command line reads them.
import type { ShownDeployment } from '#actions/projects/deployments.ts';
import type { CliDeploymentBody, CliDeployResult } from '#contract/vendor/cli-project.ts';
import type { DiffEntry } from '#domain/projects/deployment.ts';
import { constructOf } from './status-pages.ts';
import { isoText, isoTextOrNull } from '../../wire.ts';

/** Types that the command line can show; others make it fail. */
const shownTypes: readonly string[] = [
  'check',
  'check-group',
  'alert-channel',
  'maintenance-window',
  'private-location',
];

export function deploymentToCli({ id, ...deployment }: ShownDeployment): CliDeploymentBody {
  const { project, status, progress, error, diff, createdAt, endedAt } = deployment;
  return {
    id: id ?? '',
    logicalId: project,
    status,
    dryRun: id === null,
    progress: percentOf(progress),
    error: error === null ? null : { code: 'INVALID', message: error.message },
    result: diff === null ? null : resultToCli({ logicalId: project, name: project }, diff),
    createdAt: isoText(createdAt),
    startedAt: isoText(createdAt),
    endedAt: isoTextOrNull(endedAt),
    cancelRequestedAt: null,
  };
}

export function percentOf({ done, total }: ShownDeployment['progress']): number {
  return total === 0 ? 0 : Math.floor((100 * done) / total);
}

/** What a deployment changes. */
export function resultToCli(project: CliDeployResult['project'], diff: readonly DiffEntry[]): CliDeployResult {
  return {
    project,
    diff: diff.flatMap((entry) => {
      const { physicalId, action } = entry;
      const construct = shownTypes.includes(entry.type) ? entry : constructOf(entry);
      if (construct === null) return [];
      const { type, logicalId } = construct;
      return [{ type, logicalId, physicalId, action: action === 'DETACH' ? 'DETACHED' : action }];
    }),
  };
}
