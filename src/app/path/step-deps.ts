// What the steps of a process share.
import type { Damage } from '../store/damage.ts';
import type { AcknowledgeLinks } from '#actions/alerts/acknowledge-links.ts';
import type { Notice } from '#actions/operating/notices.ts';
import type { PageAccess } from '#actions/status-pages/page-access.ts';
import type { SubscriptionLinks } from '#actions/status-pages/subscription-links.ts';
import type { ResultLinks } from '#actions/signed-links.ts';
import { type RandomSource } from '#domain/deliveries/delivery-variables.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import type { PingFailures } from '#upkeep/record-reception.ts';
import type { PageRenderer } from '../pages/page-renderer.ts';
import type { OwnProcess } from '../process.ts';
import type { ScriptProber } from '../scripts/scripts.ts';
import type { WatchdogCaller } from '#upkeep/call-watchdog.ts';
import type { Config } from '#config/config.ts';
import type { Metrics } from '#metrics/metrics.ts';
import type { Prober } from '#checks/runner/probe-threads.ts';
import type { PlaceBoard } from '#egress/closed-places.ts';
import type { LoopName } from '#config/roles.ts';
import type { ChannelSender, LinkMessage } from '#channels/kind.ts';
import type { MailSender } from '#channels/invitations.ts';

export interface PathDeps {
  readonly config: Config;
  readonly store: Store;
  /** null without the role `runner`. */
  readonly prober: Prober | null;
  /** null without the role `runner`. */
  readonly scripts: ScriptProber | null;
  /** null without the role `upkeep`, or without a URL. */
  readonly watchdog: WatchdogCaller | null;
  /** null without the role `deliverer`. */
  readonly sender: ChannelSender | null;
  /** Mails to subscribers; null without the role `deliverer` or a mail server. */
  readonly linkMails: MailSender<LinkMessage> | null;
  readonly ownProcess: OwnProcess;
  readonly pingFailures: PingFailures;
  readonly metrics: Metrics;
  readonly clock: FollowedClock;
  readonly random: RandomSource;
  /** Reads the time of the database's clock, if that is used. */
  readonly measureTime: (() => Promise<void>) | null;
  readonly log: Log;
  /** Damage of the database that is known so far. */
  readonly damage: Pick<Damage, 'noteError'>;
  readonly userAgent: string;
  readonly pageRenderer: PageRenderer;
  /** Tocsin's own places, which no request may reach. */
  readonly closedPlaces: PlaceBoard;
  /** Aborted when this process stops. */
  readonly stopping: AbortSignal;
  /** Problems that this process knows of. */
  readonly processNotices: () => Promise<readonly Notice[]>;
  /** Where people reach the UI, without a slash at its end. */
  readonly publicUrl: () => string;
  /** RESULT_LINK of a result. */
  readonly links: Pick<ResultLinks, 'link'>;
  /** ACK_LINK of an incident. */
  readonly acknowledgeLinks: Pick<AcknowledgeLinks, 'link'>;
  /** Links to private status pages. */
  readonly pageAccess: Pick<PageAccess, 'linkToken'>;
  readonly subscriptionLinks: Pick<SubscriptionLinks, 'confirm' | 'unsubscribe'>;
  /** A tick of the step that applies changes to many checks; null without the role `api`. */
  readonly applyCheckChanges: (() => Promise<number>) | null;
  /** A tick of the step that applies a folder of resource files; null without a folder or the role `api`. */
  readonly applyFolder: (() => Promise<number>) | null;
  /** A tick of the step that takes status pages up; null without the role `api`. */
  readonly takeUpPages: (() => Promise<number>) | null;
  /** Wakes a loop, in this process or wherever it runs. */
  readonly wake: (name: LoopName) => void;
  /** Called for a retry in another location, whose next poll may come too late. */
  readonly onRunsElsewhere: () => void;
  /** Called when status pages were built, so that they are served soon. */
  readonly onPagesBuilt: () => void;
  /** Called when the clock was set, so that others read the time at once. */
  readonly onClockSet: () => void;
  /** Called for every recorded attempt, to wake requests that wait for a batch. */
  readonly onRecorded: () => void;
  /** Called for every start and end of a run of a test session, to notify clients that wait. */
  readonly onTested: () => void;
  /** Called for every recorded delivery attempt, to wake requests that wait for a test message. */
  readonly onLogged: () => void;
}

export interface StepDeps extends PathDeps {
  /** Owner of this process's leases. */
  readonly owner: string;
  readonly startedAt: number;
  /** The period whose data a restore removed. */
  readonly rollback: Awaited<ReturnType<Store['gaps']['rollback']>>;
}

/** Asserts a dependency that exists whenever the role of a step is active. */
export function required<Thing>(thing: Thing | null, what: string): Thing {
  if (thing === null) throw new Error(`${what} is missing`);
  return thing;
}
