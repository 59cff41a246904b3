// Dependencies of a process's actions.
import type { Authentication } from '#actions/accounts/authenticate.ts';
import type { IdentityDeps } from '#actions/accounts/identities.ts';
import type { SendInvitation } from '#actions/accounts/invites.ts';
import type { KnownDevices } from '#actions/accounts/known-devices.ts';
import type { SendPasswordReset } from '#actions/accounts/password-resets.ts';
import type { Passwords } from '#actions/accounts/passwords.ts';
import type { AcknowledgeLinks } from '#actions/alerts/acknowledge-links.ts';
import type { BadgeLinks } from '#actions/badges/badge-links.ts';
import type { BrokenChannels, Notice } from '#actions/operating/notices.ts';
import type { ResultLinks, SessionLinks } from '#actions/signed-links.ts';
import type { SubscriptionLinks } from '#actions/status-pages/subscription-links.ts';
import type { PageAccess } from '#actions/status-pages/page-access.ts';
import type { RandomSource } from '#domain/deliveries/delivery-variables.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import type { Hints } from '#lib/hints.ts';
import type { Store } from '#store/store.ts';
import type { OwnProcess } from '../process.ts';
import type { PageRenderer } from '../pages/page-renderer.ts';
import type { LoadedRuntimes } from '../scripts/installed-runtimes.ts';
import type { Config } from '#config/config.ts';
import type { Metrics } from '#metrics/metrics.ts';
import type { LoopName } from '#config/roles.ts';
import type { PingFailures } from '#upkeep/record-reception.ts';

export interface ActionDeps {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly runtimes: LoadedRuntimes;
  readonly authentication: Authentication;
  readonly passwords: Passwords;
  readonly links: ResultLinks;
  readonly sessionLinks: SessionLinks;
  readonly acknowledgeLinks: AcknowledgeLinks;
  readonly badgeLinks: BadgeLinks;
  readonly pageAccess: PageAccess;
  readonly pageRenderer: PageRenderer;
  readonly subscriptionLinks: SubscriptionLinks;
  readonly knownDevices: KnownDevices;
  /** null = no identity provider is configured. */
  readonly provider: IdentityDeps['provider'];
  readonly providerFlows: IdentityDeps['flows'];
  /** null = email is not set up. */
  readonly mails: { readonly send: SendInvitation; readonly sendReset: SendPasswordReset } | null;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly userAgent: string;
  /** Public URL of this server; known once it listens. */
  readonly publicUrl: () => string;
  readonly wake: (name: LoopName) => void;
  /** Tells other processes that a key was revoked, a session ended, or their accounts changed. */
  readonly onKeysChanged: () => void;
  /** Tells other processes that an alert channel was created or changed. */
  readonly onChannelsChanged: () => void;
  /** Channels of an account with templates that this version cannot render. */
  readonly brokenChannels: BrokenChannels;
  /** Hints that results were recorded. */
  readonly resultHints: Hints;
  /** Tells waiting requests in all processes that something happened in a test session, and hints of it. */
  readonly onTested: () => void;
  readonly testHints: Hints;
  /** Hints that delivery attempts were recorded. */
  readonly attemptHints: Hints;
  /** Aborts when this process stops, to end waiting requests. */
  readonly stopping: AbortSignal;
  /** Why this installation runs no scripts, in a sentence; null = it does. */
  readonly scriptsRefused: () => Promise<string | null>;
  readonly ownProcess: OwnProcess;
  readonly metrics: Pick<Metrics, 'onPing'>;
  /** Counts pings that could not be stored. */
  readonly pingFailures: PingFailures;
  readonly processNotices: () => Promise<readonly Notice[]> | readonly Notice[];
}
