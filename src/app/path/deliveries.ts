// Joins the steps that render and send deliveries, and what is rendered from.
import { errorMessage } from '#lib/errors.ts';
import { acknowledgeLinkOf } from '#actions/alerts/acknowledge-links.ts';
import { createAccountReportActions } from '#actions/results/account-reports.ts';
import { channelRules } from '#channels/rules.ts';
import { kindOf } from '#checks/check-kinds.ts';
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { zoneOf } from '#domain/accounts/time-zone.ts';
import { alertVariables, randomValues } from '#domain/deliveries/delivery-variables.ts';
import { reportVariables } from '#domain/deliveries/failing-channel.ts';
import type { DeliveryFacts, Prepared, Rendered } from '#domain/results/recording.ts';
import { type AccountReport, reportQuery } from '#domain/results/account-report.ts';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import type { RenderInput } from '#domain/deliveries/delivery.ts';
import type { DigestCheck } from '#domain/alerts/digest.ts';
import { createActiveHours, createAdmitDeliveries } from '#pipeline/parts/admit-deliveries.ts';
import { createJudgeStorms } from '#pipeline/judge-storms.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import { writeNews } from '#publish/news/write-news.ts';
import { createReportFailingChannels } from '#upkeep/report-failing-channels.ts';
import { createSendAccountReports } from '#upkeep/send-account-reports.ts';
import { createWatchHold } from '#upkeep/watch-hold.ts';
import { loggedReason } from './redaction.ts';
import { type StepDeps, type PathDeps, required } from './step-deps.ts';
import { type ClientIdentity, identityFor } from '#domain/accounts/client-certificate.ts';

/** Log events of lost deliveries. */
const lostEvents = {
  exhausted: 'delivery.exhausted',
  refused: 'delivery.refused',
  failed: 'delivery.failed',
} as const;

function isLost(status: string): status is keyof typeof lostEvents {
  return Object.hasOwn(lostEvents, status);
}

export function composeSendDeliveries(deps: StepDeps) {
  const { store, clock, owner, ownProcess, sender, metrics, log, wake, onLogged } = deps;
  const { sendingLimits } = deps.config;
  const inActiveHours = createActiveHours({ ...channelRules, ...store.activeHours, clock, owner });
  // Sequential: a receiver that is down ends many deliveries at once.
  let logging = Promise.resolve();
  const findIdentity = createFindIdentity((accountId) => store.clientCertificates.all(accountId));
  return createSendDeliveries({
    store: store.path,
    clock,
    owner,
    isHeld: createWatchHold(store.heldDeliveries),
    isShared: () => ownProcess.known().some(({ id, roles }) => id !== owner && roles.includes('deliverer')),
    send: async ({ accountId, id: deliveryId, createdAt, replayOf, request }, { type, secrets }, attempt) =>
      required(sender, 'sender').send({
        type,
        accountId,
        request,
        startedAt: clock.now(),
        identity: await findIdentity(accountId, request.url),
        deliveryId,
        createdAt,
        attempt,
        replayOf,
        secrets,
      }),
    render: renderWith(deps),
    admitFirst: (delivery, channel) =>
      channel.id === subscribersChannelId
        ? store.pageNews.admit({ accountId: delivery.accountId, deliveryId: delivery.id, owner })
        : inActiveHours(delivery, channel),
    admit: createAdmitDeliveries({
      ...channelRules,
      ...store.sendingQuotas,
      limits: sendingLimits,
      onExpired: ({ id, alertChannelId, checkId }, error) => {
        metrics.onSettled('exhausted');
        log.warn('delivery.exhausted', { id, channel: alertChannelId, check: checkId, error });
      },
      clock,
      owner,
    }),
    wake: () => wake('send-deliveries'),
    onUnrendered: ({ id, alertChannelId, checkId }, reason) => {
      metrics.onSettled('failed');
      log.warn('delivery.failed', { id, channel: alertChannelId, check: checkId, error: reason });
    },
    onSettled: ({ accountId, id, alertChannelId, checkId }, attempt, { status }) => {
      metrics.onSettled(status);
      if (!isLost(status)) return;
      logging = logging.then(async () => {
        const error = await loggedReason(store, accountId, id, attempt);
        log.warn(lostEvents[status], { id, channel: alertChannelId, check: checkId, error });
      });
    },
    onLogged,
    onError: (error) => log.error('attempt.log-failed', { error: errorMessage(error) }),
  });
}

export function composeReportFailingChannels(deps: StepDeps): () => Promise<number> {
  const { store, clock, links, log, wake } = deps;
  const render = renderWith(deps);
  return createReportFailingChannels({
    store: store.failingChannels,
    clock,
    render: async (report, through, deliveryId, createdAt) => {
      const { accountId, check, checkResultId } = report;
      const link =
        check === null || checkResultId === null
          ? undefined
          : links.link(accountId, check.id, checkResultId, createdAt);
      const variables = reportVariables(report, deliveryId, link);
      const [account] = await store.accounts.list([accountId]);
      return render(through, { variables, timeZone: account?.timeZone ?? null }, createdAt);
    },
    onReported: async ({ kind, accountId, alertChannelId, name, deliveryId, reason: stored }, deliveries) => {
      if (deliveries > 0) wake('send-deliveries');
      const reason = deliveryId === null ? null : await loggedReason(store, accountId, deliveryId, stored);
      log.warn(`channel.${kind}`, {
        id: alertChannelId,
        name,
        notified: deliveries,
        ...(reason !== null && { reason }),
      });
    },
  });
}

/** Where the sending process finds the input for rendering a delivery. */
export function prepareWith({
  config,
  links,
  acknowledgeLinks,
}: Pick<PathDeps, 'config' | 'links' | 'acknowledgeLinks'>): (facts: DeliveryFacts) => Prepared {
  return (facts) => {
    const { context, createdAt, isViaGroup } = facts;
    const { check } = context;
    const variables = alertVariables(facts, {
      ...kindOf(check.checkType).alertFacts(check, facts.finding.details),
      locationName: facts.location === config.location.code ? config.location.name : facts.location,
      link: links.link(check.accountId, check.id, facts.resultId, createdAt),
      ...acknowledgeLinkOf(facts, acknowledgeLinks),
    });
    const content = { variables, groupId: isViaGroup ? check.groupId : null };
    return { content, isSuperseded: channelRules.isSuperseded(facts.channel.type) };
  };
}

/** Renders with what a process knows; an error ends the delivery. */
function renderWith(deps: StepDeps) {
  const {
    random,
    userAgent,
    publicUrl,
    config: { gateways, serverTimeZone },
  } = deps;
  return (channel: AlertChannel, input: RenderInput, createdAt: number): Rendered => {
    const { variables, digest, report, news } = input;
    const timeZone = zoneOf(input, serverTimeZone);
    const facts = { createdAt, ...randomValues(random), userAgent, timeZone, channelId: channel.id };
    const own = gatewaysOf(gateways, channel.accountId);
    try {
      if (report !== undefined) {
        const linkOf = (checkId: string | null): string => `${publicUrl()}${pagePath(report, checkId)}`;
        return { request: channelRules.renderReport(channel, { report, variables, linkOf }, facts, own) };
      }
      if (news !== undefined) {
        const written = writeNews(news);
        return { request: channelRules.renderNews(channel, { news, variables, written }, facts, own) };
      }
      if (digest === undefined) return { request: channelRules.render(channel, variables, facts, own) };
      const digestLinks = digestLinksOf(deps, channel.accountId, digest.at);
      return { request: channelRules.renderDigest(channel, { digest, variables, links: digestLinks }, facts, own) };
    } catch (error) {
      const reason = channelRules.missing(channel.type, own);
      return { error: errorMessage(error), ...(reason !== null && { reason }) };
    }
  };
}

/** @param at time of the digest, epoch ms */
function digestLinksOf({ links, acknowledgeLinks, publicUrl }: StepDeps, accountId: string, at: number) {
  return {
    overview: `${publicUrl()}/`,
    check: ({ checkId }: DigestCheck) => `${publicUrl()}/checks/${checkId}`,
    result: ({ checkId, resultId }: DigestCheck) =>
      resultId === null ? null : links.link(accountId, checkId, resultId, at),
    acknowledge: ({ incidentId }: DigestCheck) =>
      incidentId === null ? null : acknowledgeLinks.link(accountId, incidentId, at),
  };
}

/** The page of a check, or that of the report; null = the report. */
function pagePath(report: AccountReport, checkId: string | null): string {
  return checkId === null ? `/reports?${reportQuery(report).toString()}` : `/checks/${checkId}`;
}

export function composeSendAccountReports({
  config,
  store,
  startedAt,
  clock,
  log,
  wake,
}: StepDeps): () => Promise<number> {
  const reports = createAccountReportActions({ ...store, serverTimeZone: config.serverTimeZone, clock });
  return createSendAccountReports({
    store: store.accountReports,
    isSettled: (before) => store.gaps.isSettled(before),
    startedAt,
    build: (accountId, schedule) => reports.build(accountId, schedule),
    clock,
    onSent: ({ accountId, alertChannelId, schedule }) => {
      wake('send-deliveries');
      log.info('report.due', { account: accountId, channel: alertChannelId, every: schedule.every });
    },
    onError: ({ accountId }, error) => log.error('report.failed', { account: accountId, error: errorMessage(error) }),
  });
}

export function composeJudgeStorms({ store, clock, log, wake }: StepDeps): () => Promise<number> {
  return createJudgeStorms({
    store: store.alertStorms,
    clock,
    onJudged: ({ accountId, digests, isOver }) => {
      if (digests > 0) wake('send-deliveries');
      log.info(isOver ? 'storm.over' : 'storm.digests', { account: accountId, digests });
    },
  });
}

/** Cache lifetime, ms. */
const usedMs = 5000;
/** Maximum number of cached accounts. */
const maxAccounts = 10_000;

/** The identity for a URL of an account; null = none. Never rejects: an error counts as none. */
type FindIdentity = (accountId: string, url: string) => Promise<ClientIdentity | null>;

function createFindIdentity(
  read: (accountId: string) => Promise<readonly ClientIdentity[]>,
  now: () => number = () => performance.now(),
): FindIdentity {
  const known = new Map<string, { readonly until: number; readonly identities: Promise<readonly ClientIdentity[]> }>();
  return async (accountId, url) => {
    const { protocol, hostname } = URL.parse(url) ?? { protocol: '', hostname: '' };
    if (protocol !== 'https:') return null;
    const kept = known.get(accountId);
    if (kept === undefined || kept.until < now()) {
      if (known.size >= maxAccounts) known.clear();
      known.set(accountId, { until: now() + usedMs, identities: read(accountId).catch(() => []) });
    }
    return identityFor((await known.get(accountId)?.identities) ?? [], hostname.replace(/^\[|\]$/g, ''));
  };
}
