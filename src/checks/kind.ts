// The interface of a check kind. Kinds import this file, never each other.
import type { Measures } from '#domain/results/analytics.ts';
import type { GroupScripts } from '#domain/checks/check-group.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Exchange, Probe, ThreadProbe } from '#domain/checks/probe.ts';
import type { Result } from '#domain/results/result.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import type { RunScript, ScriptBrowser } from '#domain/checks/script.ts';
import type { ConnectionGuard } from '#lib/net/guarded.ts';
import type { Offload } from './parts/findings/answer-work.ts';
import type { ByteBudget } from './parts/http/body-store.ts';
import type { VariableUse } from './parts/placeholders.ts';
import type { CheckSchema } from './schema.ts';

/** The part of the egress policy that kinds need. */
export interface EgressGuard extends ConnectionGuard {
  /** The machine's current name servers, as `address` or `address:port`. Absent = none. */
  nameServers?(): readonly string[];
}

export interface ProbeDeps {
  readonly guard: EgressGuard;
  /** Tocsin's version, for the user agent. */
  readonly version: string;
  /** Maximum duration of a probe in ms (reference §4.3: 30 s). */
  readonly limitMs?: number;
  /** Certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** Client certificates of an account, with keys. */
  readonly clientCertificates?: (accountId: string) => readonly ClientIdentity[];
  /** Default name servers of DNS checks, as `address` or `address:port`. Default: those of the machine. */
  readonly nameServers?: readonly string[];
  /** Runs expensive work on a response in another thread. By default it runs in this one. */
  readonly offload?: Offload;
  /** Limit on the total size of bodies being read. Default: unlimited. */
  readonly bodies?: ByteBudget;
  /** Full path of the ping program. Default: that of the machine. */
  readonly pingCommand?: string;
}

/** A problem in a check's settings: the field, such as `request.url`, and how to fix it. */
export interface SettingsProblem {
  readonly path: string;
  readonly message: string;
}

/** Facts about a result for alerts (spec §6.2: CHECK_URL, API_CHECK_RESPONSE_*). */
export interface KindFacts {
  readonly url: string | null;
  readonly status: number | null;
  readonly statusText: string | null;
}

export interface ScriptRuntime extends Runtime {
  readonly folder: string;
  readonly nodeBinary: string;
}

export interface ScriptProbeDeps {
  readonly runScript: RunScript;
  /** Content of a stored file of an account by its key; null = there is none. */
  readonly readScriptFile: (accountId: string, key: string) => Promise<Uint8Array | null>;
  /** Time limit of a script by check type, in ms. */
  readonly wallClockMs: Readonly<Partial<Record<CheckType, number>>>;
  readonly runtimes: () => readonly ScriptRuntime[];
  /** The available browser, or null. */
  readonly chromium: () => ScriptBrowser | null;
  /** Probes what a check monitors besides its script, as the kind's `sideProbe` declares. */
  readonly runSideProbe: Probe;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Dependencies of a probe with scripts around its request. */
export interface HookProbeDeps extends ScriptProbeDeps {
  /** Runs one half of a probe in a probe thread. */
  readonly exchange: Exchange;
}

/** For kinds whose checks may have scripts around the request (docs/decisions/0086). */
export interface HookScripts {
  /** Whether a check has such scripts, its own or its group's. */
  has(check: Pick<Check, 'settings'>, group: GroupScripts | null): boolean;
  /** The two halves of the request, for a probe thread. */
  createExchange(deps: ProbeDeps): Exchange;
  /** The whole probe: scripts, limited in number, and the halves between them. */
  createProbe(deps: HookProbeDeps): Probe;
}

/** What scripted checks may monitor besides their scripts. Only the certificate is reported. */
export interface SideProbe {
  has(check: Pick<Check, 'settings'>): boolean;
  /** The probe for a probe thread. */
  createProbe(deps: ProbeDeps): ThreadProbe;
}

/** A check kind that runs in a probe thread. */
export interface CheckKind<Schema extends CheckSchema = CheckSchema> extends KindDescription<Schema> {
  readonly isScripted?: never;
  readonly isCalled?: never;
  readonly hooks?: HookScripts;
  createProbe(deps: ProbeDeps): ThreadProbe;
}

/** A check kind that runs scripts, each in its own process and limited in number (docs/decisions/0082). */
export interface ScriptedKind<Schema extends CheckSchema = CheckSchema> extends KindDescription<Schema> {
  readonly isScripted: true;
  readonly isCalled?: never;
  readonly hooks?: never;
  readonly sideProbe?: SideProbe;
  /** Returns why a runtime is unsuitable, or null. */
  readonly refusesRuntime: (runtime: Runtime) => string | null;
  createProbe(deps: ScriptProbeDeps): Probe;
}

/** A check kind that waits for pings instead of probing (docs/decisions/0090). */
export interface CalledKind<Schema extends CheckSchema = CheckSchema> extends KindDescription<Schema> {
  readonly isScripted?: never;
  readonly isCalled: true;
  readonly hooks?: never;
}

export type AnyKind = CheckKind | ScriptedKind | CalledKind;

/** What every kind declares about its settings and results. */
export interface KindDescription<Schema extends CheckSchema = CheckSchema> {
  readonly schema: Schema;
  readonly measures: Measures;
  /** Checks what the schema cannot. Empty if valid. */
  validateSettings(settings: JsonObject): SettingsProblem[];
  /** Variables used by the settings and the group's defaults in effect. Absent = none. */
  variableUses?(settings: JsonObject, apiCheckDefaults: JsonObject | null): VariableUse[];
  /** Warns about valid settings that have no useful effect. */
  warnSettings?(settings: JsonObject, shouldFail: boolean, apiCheckDefaults: JsonObject | null): SettingsProblem[];
  /** The kind's part of a check result (reference §4.7). */
  describeResult(result: Pick<Result, 'details' | 'message' | 'reason'>, exchange: JsonObject | null): JsonObject;
  alertFacts(check: Pick<Check, 'settings'>, details: JsonValue): KindFacts;
}
