// Each function of the store, and the file of tests/store/ whose cases call it on both engines. A function without a line does
// not compile; a line whose file does not call the function turns that file red.
import type { Store } from '#store/store.ts';

type Engine = 'SQLite' | 'PostgreSQL';

/**
 * What of the store is tested on both engines. Wake-ups are PostgreSQL's alone and touch no rows (postgres-wakes.test.ts), and every
 * case closes its store.
 */
type Surface = Omit<Store, 'wakes' | 'wasCrashed' | 'close'>;

type AnyFunction = (...given: never[]) => unknown;
type FunctionsOf<Noun> = { [Name in keyof Noun as Noun[Name] extends AnyFunction ? Name : never]: string };

/** By noun and function: the name of a file of tests/store/ whose cases call it, one of several. */
export const calledIn: { readonly [Noun in keyof Surface]: Readonly<FunctionsOf<Surface[Noun]>> } = {
  accounts: { list: 'api-keys', add: 'api-keys', change: 'api-keys', usage: 'triggers' },
  apiKeys: {
    findByHash: 'api-keys',
    find: 'api-keys',
    list: 'api-keys',
    add: 'api-keys',
    addFirst: 'api-keys',
    markUsed: 'api-keys',
    revoke: 'api-keys',
  },
  users: {
    isEmpty: 'people',
    withEmail: 'people',
    find: 'people',
    addFirst: 'people',
    changePassword: 'people',
    members: 'people',
    member: 'people',
    changeRole: 'people',
    removeMember: 'people',
  },
  sessions: {
    add: 'people',
    findByHash: 'people',
    markSeen: 'people',
    list: 'people',
    end: 'people',
    endAll: 'people',
  },
  setupLinks: { add: 'people', isValid: 'people', use: 'people' },
  invites: {
    list: 'people',
    add: 'people',
    find: 'people',
    remove: 'people',
    findByHash: 'people',
    accept: 'people',
  },
  triggers: { find: 'triggers', findByToken: 'triggers', remove: 'triggers', start: 'triggers' },
  triggerCalls: { optionsOf: 'trigger-calls', forget: 'trigger-calls', removeOld: 'trigger-calls' },
  batches: { isClosed: 'triggers', results: 'triggers', runs: 'trigger-calls' },
  checkResults: {
    list: 'check-results',
    walk: 'check-results',
    find: 'check-results',
    findAnywhere: 'check-results',
    subject: 'check-results',
  },
  checkHistory: { read: 'roll-ups', sums: 'roll-ups' },
  checkSubjects: { ofIds: 'check-subjects', after: 'check-subjects' },
  checkStatuses: { list: 'check-statuses', find: 'check-statuses' },
  checkAlerts: { list: 'path-deletions' },
  incidents: {
    list: 'incidents',
    find: 'incidents',
    alerts: 'incidents',
    ofAlert: 'acknowledgements',
    acknowledge: 'acknowledgements',
    unacknowledge: 'acknowledgements',
  },
  accountChanges: { open: 'account-changes' },
  overview: {
    checks: 'overview',
    figures: 'overview',
    availabilities: 'overview',
    newestResults: 'overview',
    deliveries: 'overview',
  },
  deliveries: {
    list: 'deliveries',
    find: 'deliveries',
    retry: 'deliveries',
    cancel: 'deliveries',
    replay: 'deliveries',
    replayLost: 'deliveries',
  },
  alertNotifications: { facts: 'deliveries' },
  sendingQuotas: { take: 'sending-quotas' },
  activeHours: { admit: 'active-hours' },
  heldDeliveries: {
    find: 'held-deliveries',
    hold: 'held-deliveries',
    release: 'held-deliveries',
    waiting: 'held-deliveries',
    discard: 'held-deliveries',
  },
  alertStorms: { current: 'alert-storms', judge: 'alert-storms', since: 'grouped-alerts' },
  accountReports: {
    incidents: 'account-reports',
    certificates: 'account-reports',
    due: 'account-reports',
    send: 'account-reports',
    postpone: 'account-reports',
  },
  failingChannels: {
    list: 'figures',
    unreported: 'failing-channels',
    report: 'failing-channels',
  },
  checks: { list: 'checks', find: 'checks', add: 'checks', change: 'checks', remove: 'checks' },
  firstRuns: { start: 'first-runs' },
  checksWithoutChannels: { ofAccount: 'checks-without-channels' },
  checkVariables: { missing: 'check-variables', groups: 'check-variables' },
  checkGroups: {
    list: 'checks',
    find: 'runtime-changes',
    variableKeys: 'checks',
    lockedVariables: 'checks',
    add: 'checks',
    change: 'checks',
    remove: 'checks',
  },
  alertChannels: {
    list: 'alert-channels',
    find: 'deliveries',
    add: 'alert-channels',
    change: 'path-edits',
    subscribe: 'checks',
    remove: 'alert-channels',
  },
  channelConfigs: { after: 'channel-configs', writtenSince: 'channel-configs' },
  variables: {
    list: 'variables',
    all: 'variables',
    find: 'variables',
    add: 'variables',
    change: 'variables',
    remove: 'variables',
  },
  clientCertificates: { all: 'client-certificates', add: 'client-certificates', remove: 'client-certificates' },
  maintenanceWindows: {
    countNamed: 'maintenance-windows',
    unknownOf: 'maintenance-windows',
    list: 'maintenance-windows',
    find: 'maintenance-windows',
    add: 'maintenance-windows',
    change: 'maintenance-windows',
    remove: 'maintenance-windows',
  },
  orphans: { removeSome: 'checks' },
  runtimeStages: { all: 'figures', remember: 'figures' },
  requestedRuntimes: { groups: 'runtime-ends', checks: 'runtime-ends' },
  browserChecks: { locations: 'missing-browsers' },
  checkLocations: { named: 'silent-locations' },
  figures: {
    conservation: 'figures',
    outbox: 'figures',
    runQueue: 'figures',
    heartbeatDueAt: 'figures',
    failingChannels: 'figures',
    rolledUpTo: 'roll-ups',
    checkStates: 'figures',
  },
  gaps: {
    rollback: 'gaps',
    recordHeartbeat: 'gaps',
    noteStart: 'gaps',
    isSettled: 'account-reports',
    lastAbsence: 'gaps',
    ofAccount: 'gaps',
  },
  pings: { list: 'heartbeats', find: 'heartbeats' },
  receptions: { note: 'heartbeats' },
  resultAssets: { keep: 'result-assets', of: 'result-assets', read: 'result-assets' },
  noticeChannel: { sent: 'notice-channel', send: 'notice-channel' },
  watchdog: { state: 'watchdog', move: 'watchdog' },
  processes: { sign: 'processes', list: 'processes', locations: 'processes', leave: 'processes' },
  path: {
    scheduleDue: 'path-runs',
    claimRuns: 'path-runs',
    renewRuns: 'path-runs',
    returnRuns: 'path-runs',
    contextOf: 'waiting-runs',
    recordAttempts: 'path-runs',
    receivePings: 'heartbeats',
    judgeHeartbeats: 'heartbeats',
    judgeStates: 'judge-states',
    readContents: 'render-deliveries',
    saveRendered: 'render-deliveries',
    claimDeliveries: 'path-deliveries',
    renewDeliveries: 'path-deliveries',
    settleAttempts: 'path-deliveries',
    addDelivery: 'path-deliveries',
    takeOver: 'path-runs',
    moveWithClock: 'path-clock',
  },
  retention: { sweep: 'retention' },
  rollUps: { tick: 'roll-ups', release: 'roll-ups' },
};

/** By the name of the file of tests. */
const calledBy = new Map<string, Readonly<Record<Engine, Set<string>>>>();

function callsOf(engine: Engine, file: string): Set<string> {
  const kept = calledBy.get(file) ?? { SQLite: new Set(), PostgreSQL: new Set() };
  calledBy.set(file, kept);
  return kept[engine];
}

/** The same store, which notes what is called of it in a file of tests. */
export function noteCalls(engine: Engine, file: string, store: Store): Store {
  const members = Object.entries(store).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'object' && member !== null ? noting(callsOf(engine, file), name, member) : member,
  ]);
  return Object.fromEntries(members) as Store;
}

function noting(calls: Set<string>, noun: string, of: object): object {
  const members = Object.entries(of).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member];
    const noted = (...given: unknown[]): unknown => {
      calls.add(`${noun}.${name}`);
      return Reflect.apply(member, of, given);
    };
    return [name, noted];
  });
  return Object.fromEntries(members) as object;
}

/**
 * Functions that the table says are called in a file of tests, and were not on that engine: `noun.function`.
 *
 * @param caller the file of tests whose calls count
 */
export function uncalled(engine: Engine, file: string, caller: string): string[] {
  const calls = callsOf(engine, caller);
  return Object.entries(calledIn).flatMap(([noun, functions]) =>
    Object.entries(functions).flatMap(([name, where]: [string, string]) =>
      where === file && !calls.has(`${noun}.${name}`) ? [`${noun}.${name}`] : [],
    ),
  );
}
