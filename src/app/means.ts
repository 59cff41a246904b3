// What the actions of a process are joined with.
import type { Authentication } from '#actions/accounts/authenticate.ts';
import type { BrokenChannels, Notice } from '#actions/operating/notices.ts';
import type { ResultLinks } from '#actions/results/result-links.ts';
import type { RandomSource } from '#domain/alerts/random-values.ts';
import type { Clock } from '#lib/clock.ts';
import type { Hints } from '#lib/hints.ts';
import type { Store } from '#store/store.ts';
import type { OwnProcess } from './process.ts';
import type { LoadedRuntimes } from './installed-runtimes.ts';
import type { Config } from '#config/config.ts';
import type { Metrics } from '#metrics/metrics.ts';
import type { LoopName } from '#config/roles.ts';
import type { PingFailures } from '#upkeep/hear-pings.ts';

/** What the actions are joined with. */
export interface ActionMeans {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly runtimes: LoadedRuntimes;
  readonly authentication: Authentication;
  readonly links: ResultLinks;
  readonly userAgent: string;
  /** Where people reach this server; known once it listens. */
  readonly publicUrl: () => string;
  readonly wake: (name: LoopName) => void;
  /** A key was revoked, or its accounts have changed: told to the other processes. */
  readonly onKeysChanged: () => void;
  /** An alert channel was written: told to the other processes. */
  readonly onChannelsChanged: () => void;
  /** Channels of an account whose templates this version cannot render. */
  readonly brokenChannels: BrokenChannels;
  /** Hints that results were recorded. */
  readonly resultHints: Hints;
  /** Hints that delivery attempts were logged. */
  readonly attemptHints: Hints;
  /** Aborts when this process stops: whoever waits for an answer is let go. */
  readonly stopping: AbortSignal;
  /** Why this installation runs no scripts, in a sentence; null = it does. */
  readonly scriptsRefused: () => Promise<string | null>;
  readonly ownProcess: OwnProcess;
  readonly metrics: Pick<Metrics, 'onPing'>;
  /** Counts pings that could not be written. */
  readonly pingFailures: PingFailures;
  readonly processNotices: () => readonly Notice[];
}
