// Trials: a definition of a check that runs once without being saved.
import type { Finding } from './result.ts';
import type { Check } from '../checks/check.ts';
import type { ProbeProgress } from '../checks/probe.ts';

/** A trial. It ends with a finding, raises no alert and changes no state. */
export interface CheckTrial {
  readonly accountId: string;
  readonly id: string;
  /** Code of the run location. */
  readonly location: string;
  /** The definition; its ID is that of the stored check that it changes, or a new one. */
  readonly check: Check;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** A trial as stored. */
export interface StoredTrial extends CheckTrial {
  /** `waiting` until a runner takes it. */
  readonly status: 'waiting' | 'running' | 'ended';
  /** null = it has not ended. */
  readonly finding: Finding | null;
  /** Number of its newest slice of progress; 0 = none. */
  readonly slices: number;
}

/** A piece of what a trial reports while it runs; stored until it has ended. */
export interface TrialSlice extends ProbeProgress {
  /** From 1, without gaps. */
  readonly number: number;
  /** Whether a run begins with it: earlier slices are those of a process that died. */
  readonly isFirst: boolean;
}

/** How long a trial is stored, ms, read or not. */
export const trialLifeMs = 600_000;

/** Maximum number of trials of an account that wait or run, so that one account leaves room for others. */
export const trialsAtOnce = 5;

/** Maximum size of the screenshots kept with a trial, bytes. */
export const trialAssetBytes = 2_000_000;

/** The finding of a trial with as many screenshots as fit; it keeps no traces and videos. */
export function withFewAssets({ assets = [], ...finding }: Finding): Finding {
  let bytes = 0;
  const kept = assets.filter(({ sort, content }) => {
    if (sort !== 'screenshot' || bytes + content.length > trialAssetBytes) return false;
    bytes += content.length;
    return true;
  });
  return { ...finding, ...(kept.length > 0 && { assets: kept }) };
}
