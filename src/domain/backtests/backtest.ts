// What a backtest replays and what it finds (docs/decisions/0143). Instants are epoch ms.
import type { AlertType } from '../alerts/alert.ts';
import type { Listener } from '../alerts/listener.ts';
import type { CheckContext } from '../results/recording.ts';
import type { Outcome } from '../results/result.ts';

/** A final result. */
export interface PastResult {
  readonly id: string;
  readonly checkId: string;
  readonly outcome: Outcome;
  readonly location: string;
  /** Its slot, or its start if it had none. */
  readonly at: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A channel as a check sees it. */
export type BacktestListener = Omit<Listener, 'notified' | 'isSubscribed'> & {
  /** Whether its kind gets one message about many checks. */
  readonly isDigested: boolean;
};

/** A check with the settings to try. What mutes it now is not replayed: it says nothing about the past. */
export interface BacktestCheck {
  readonly context: CheckContext;
  /** Channels subscribed to it or to its group. */
  readonly listeners: readonly BacktestListener[];
}

/** An alert of the replay. */
export interface BacktestAlert {
  readonly checkId: string;
  readonly alertType: AlertType;
  readonly at: number;
  /** The result that raised it, or that it repeats. */
  readonly resultId: string;
  /** It repeats an open alert. */
  readonly isReminder: boolean;
  /** Name of the needed check that suppressed it; null = it was sent. */
  readonly suppressedBy: string | null;
}

/** What the settings would have done. */
export interface Replayed {
  readonly alerts: readonly BacktestAlert[];
  /** When messages were sent to channels; one about many checks counts once. */
  readonly messages: readonly number[];
  /** Until when it was replayed: earlier than asked if time alone had too much to consider. */
  readonly to: number;
}

/** What is replayed. */
export interface ReplayInput {
  readonly checks: readonly BacktestCheck[];
  /** Results of these checks by the time they ended. */
  readonly results: readonly PastResult[];
  /** Available run locations. */
  readonly locations: readonly string[];
  /** Until when time passes after the last result. */
  readonly to: number;
  /** Whether a message about a check at a time is counted. Absent = all are. */
  readonly isCounted?: (checkId: string, at: number) => boolean;
}
