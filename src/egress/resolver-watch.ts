// Decides whether a failed lookup is the fault of this machine's name servers (docs/decisions/0139).
import { Resolver } from 'node:dns/promises';

/** Watches the name servers in use. */
export interface ResolverWatch {
  /** Records a name that a name server resolved, as a later control. */
  noteResolved(name: string): void;
  /**
   * Whether no name server answers about anything outside of the domain of this name. Never rejects; takes up to 3 s.
   * Concurrent and repeated calls share the same questions.
   */
  isDown(name: string): Promise<boolean>;
}

/** What a watch needs to know. */
export interface ResolverWatchOptions {
  /** Current name servers, as `address:port`. */
  readonly servers: () => readonly string[];
  /** Name that is always asked about, for installations whose name servers cannot reach the root; null = none. */
  readonly controlName: string | null;
  /** Called when the name servers stop answering, and when one answers again. */
  readonly onChange?: (isDown: boolean) => void;
}

/** A question to all name servers. Rejects if none answers. */
interface Control {
  /** Domain of the name, or null if it is independent of all others. */
  readonly domain: string | null;
  readonly answered: Promise<unknown>;
}

interface Round {
  readonly askedAt: number;
  readonly controls: readonly Control[];
}

/** How long answers are shared, ms. */
const sharedForMs = 5000;
/** Interval of the questions while no name server answers, ms. */
const againMs = 10_000;
/** Time limits of one question: 1 s, then another 2 s. */
const asking = { timeout: 1000, tries: 2 };
/** Domains whose last resolved name is remembered. */
const remembered = 100;
/** How long a resolved name may serve as a control, ms. */
const recentMs = 60 * 60_000;
/** Remembered names per round. Two suffice for a control outside of any domain. */
const namesPerRound = 3;
const root = '.';

export function createResolverWatch({ servers, controlName, onChange }: ResolverWatchOptions): ResolverWatch {
  /** The last resolved name of each domain, the latest last. */
  const recent = new Map<string, { readonly name: string; readonly at: number }>();
  let round: Round | null = null;
  let again: NodeJS.Timeout | null = null;

  const ask = (): Round => {
    const now = performance.now();
    if (round !== null && now - round.askedAt < sharedForMs) return round;
    const names = [...recent].filter(([, { at }]) => now - at < recentMs).slice(-namesPerRound);
    const resolvers = servers().map(resolverOf);
    const controls = [
      control(null, resolvers, (resolver) => resolver.resolveNs(root)),
      ...(controlName === null ? [] : [control(null, resolvers, (resolver) => resolver.resolve4(controlName))]),
      ...names.map(([domain, { name }]) => control(domain, resolvers, (resolver) => resolver.resolve4(name))),
    ];
    return (round = { askedAt: now, controls });
  };
  const report = (isDown: boolean): void => {
    if (!isDown) {
      if (again === null) return;
      clearInterval(again);
      again = null;
      onChange?.(false);
      return;
    }
    if (again !== null) return;
    again = setInterval(() => {
      round = null;
      void judge(null);
    }, againMs).unref();
    onChange?.(true);
  };
  const judge = async (domain: string | null): Promise<boolean> => {
    const controls = ask().controls.filter((each) => each.domain === null || each.domain !== domain);
    const isDown = await Promise.any(controls.map(({ answered }) => answered)).then(
      () => false,
      () => true,
    );
    report(isDown);
    return isDown;
  };

  return {
    noteResolved(name) {
      const domain = domainOf(name);
      recent.delete(domain);
      recent.set(domain, { name, at: performance.now() });
      if (recent.size > remembered) recent.delete(recent.keys().next().value ?? '');
      if (again !== null) report(false);
    },
    isDown: (name) => judge(domainOf(name)),
  };
}

/** The last two labels: names that differ in them belong to different owners, whatever the public suffix. */
function domainOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');
}

function resolverOf(server: string): Resolver {
  const resolver = new Resolver(asking);
  resolver.setServers([server]);
  return resolver;
}

function control(
  domain: string | null,
  resolvers: readonly Resolver[],
  ask: (resolver: Resolver) => Promise<unknown>,
): Control {
  const answered = Promise.any(resolvers.map((resolver) => ask(resolver).catch(acceptAbsence)));
  answered.catch(() => undefined);
  return { domain, answered };
}

/** That a record does not exist is an answer. */
function acceptAbsence(error: unknown): void {
  if (!isAbsence(error)) throw error;
}

/** Whether an error means that the name has no such record, not that no server answered. */
export function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}
