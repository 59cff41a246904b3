// State and outcome as icon, word and color.
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  TriangleAlert,
  BellOff,
  Repeat,
  UserCheck,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { dayAndTime, shortTime } from '../text/format.ts';
import { useNow } from '../text/now.ts';
import css from './state.module.css';

type OverviewRow = AnswerOf<'getOverview'>['rows'][number];
/** The state of a check in the overview. */
export type CheckState = OverviewRow['state'];
/** The outcome of a result. */
export type Outcome = AnswerOf<'getCheckResult'>['outcome'];

interface Look {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly className: string | undefined;
}

/** States in the order of urgency. */
export const states: Readonly<Record<CheckState, Look>> = {
  failing: { word: 'Failing', icon: CircleX, className: css['failing'] },
  degraded: { word: 'Degraded', icon: TriangleAlert, className: css['degraded'] },
  passing: { word: 'Passing', icon: CircleCheck, className: css['passing'] },
  unknown: { word: 'Unknown', icon: CircleDashed, className: css['unknown'] },
  paused: { word: 'Paused', icon: CirclePause, className: css['paused'] },
};

/** Before the first result; unlike `unknown`, nothing is wrong. */
const pending: Look = { word: 'Pending', icon: Clock, className: css['unknown'] };

/** What the state of a row depends on. */
type Stateful = Pick<OverviewRow, 'state' | 'since' | 'lastResult' | 'frequencySeconds'>;

/** How the state of a check looks. A first result that is overdue is unknown. @param now epoch ms */
export function lookOf({ state, since, lastResult, frequencySeconds }: Stateful, now: number): Look {
  const overdueMs = 2 * frequencySeconds * 1000 + 15 * 60_000;
  const isPending = state === 'unknown' && lastResult === null && since !== null && now - Date.parse(since) < overdueMs;
  return isPending ? pending : states[state];
}

/** The state of a check in the overview. */
export function RowState({ row, large }: { readonly row: Stateful; readonly large?: boolean }) {
  return <Badge look={lookOf(row, useNow())} large={large} />;
}

const outcomes: Readonly<Record<Outcome, Look>> = {
  passed: { word: 'Passed', icon: CircleCheck, className: css['passing'] },
  degraded: { word: 'Degraded', icon: TriangleAlert, className: css['degraded'] },
  failed: { word: 'Failed', icon: CircleX, className: css['failing'] },
  unknown: { word: 'Unknown', icon: CircleDashed, className: css['unknown'] },
  missed: { word: 'Missed', icon: CircleAlert, className: css['unknown'] },
};

/** The state of a service of status pages. */
export type ServiceState = AnswerOf<'getStatusService'>['state'];

const serviceStates: Readonly<Record<ServiceState, Look>> = {
  outage: { word: 'Outage', icon: CircleX, className: css['failing'] },
  degraded: { word: 'Degraded', icon: TriangleAlert, className: css['degraded'] },
  maintenance: { word: 'In maintenance', icon: Wrench, className: css['maintenance'] },
  operational: { word: 'Operational', icon: CircleCheck, className: css['passing'] },
  unknown: { word: 'No data', icon: CircleDashed, className: css['unknown'] },
};

export function ServiceStateBadge({ state, large }: { readonly state: ServiceState; readonly large?: boolean }) {
  return <Badge look={serviceStates[state]} large={large} />;
}

function Badge({ look, large }: { readonly look: Look; readonly large?: boolean | undefined }) {
  const Icon = look.icon;
  return (
    <span className={`${css['badge']} ${look.className} ${large ? css['large'] : ''}`}>
      <Icon size={large ? 20 : 15} aria-hidden />
      {look.word}
    </span>
  );
}

export function StateBadge({ state, large }: { readonly state: CheckState; readonly large?: boolean }) {
  return <Badge look={states[state]} large={large} />;
}

export function OutcomeBadge({ outcome, large }: { readonly outcome: Outcome; readonly large?: boolean }) {
  return <Badge look={outcomes[outcome]} large={large} />;
}

/** The word of an outcome, for sentences and labels. */
export function outcomeWord(outcome: Outcome): string {
  return outcomes[outcome].word;
}

/** Conditions beside the state: acknowledged, muted, in maintenance, without a channel. */
export function Flags(flags: {
  readonly acknowledged?: boolean;
  /** The check that suppresses the alert. */
  readonly suppressedBy?: OverviewRow['suppressedBy'];
  /** Everything fits on one line of a list. */
  readonly isBrief?: boolean;
  /** Since when it flaps. */
  readonly flappingSince?: string | null;
  readonly muted?: boolean;
  readonly inMaintenance?: boolean;
  readonly silent?: boolean;
}) {
  return (
    <>
      {flags.acknowledged && (
        <span className={css['flag']}>
          <UserCheck size={12} aria-hidden /> Acknowledged
        </span>
      )}
      {flags.suppressedBy != null && <Suppressed by={flags.suppressedBy} isBrief={flags.isBrief === true} />}
      {flags.flappingSince != null && (
        <Link
          to="/"
          search={{ flapping: true }}
          className={css['flag']}
          title={`Flapping since ${new Date(flags.flappingSince).toLocaleString()}: channels with grouping receive one message every ten minutes.`}
        >
          <Repeat size={12} aria-hidden /> Flapping
        </Link>
      )}
      {flags.inMaintenance && (
        <span className={`${css['flag']} ${css['maintenance']}`}>
          <Wrench size={12} aria-hidden /> In maintenance
        </span>
      )}
      {flags.muted && (
        <span className={css['flag']}>
          <BellOff size={12} aria-hidden /> Muted
        </span>
      )}
      {flags.silent && (
        <span className={css['flag']} title="No channel is subscribed to this check, so no one is notified.">
          <BellOff size={12} aria-hidden /> Notifies nobody
        </span>
      )}
    </>
  );
}

function Suppressed({
  by: { name, since, until },
  isBrief,
}: {
  readonly by: NonNullable<OverviewRow['suppressedBy']>;
  readonly isBrief: boolean;
}) {
  const now = useNow();
  const [from, to] = [Date.parse(since), until === null ? null : Date.parse(until)];
  const end = to === null ? 'at most until 5 min after its recovery' : `at most until ${dayAndTime(to)}`;
  const full = `Suppressed by ${name} since ${dayAndTime(from)}, ${end}`;
  if (!isBrief) {
    return (
      <span className={`${css['flag']} ${css['long']}`}>
        <BellOff size={12} aria-hidden /> <span>{full}</span>
      </span>
    );
  }
  return (
    <span className={`${css['flag']} ${css['brief']}`} title={`${full}. No channel is notified until then.`}>
      <BellOff size={12} aria-hidden /> <span className={css['by']}>Suppressed by {name}</span>
      {to === null ? `since ${shortTime(from, now)}` : `${shortTime(from, now)} – ${shortTime(to, now)}`}
    </span>
  );
}
