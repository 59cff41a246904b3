// What every kind of check gives, and what it is given: kinds know this file, and nothing of each other.
import type { Socket } from 'node:net';
import type { Measures } from '#domain/results/analytics.ts';
import type { GroupScripts } from '#domain/checks/check-group.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Exchange, Probe, ThreadProbe } from '#domain/checks/probe.ts';
import type { Result } from '#domain/results/result.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import type { RunScript, ScriptBrowser } from '#domain/checks/script.ts';
import type { Offload } from './parts/findings/answer-work.ts';
import type { ByteBudget } from './parts/http/body-store.ts';
import type { VariableUse } from './parts/placeholders.ts';
import type { CheckSchema } from './schema.ts';

/** Where requests may go, as the kinds need it. */
export interface EgressGuard {
  /**
   * All addresses of a name or a literal, each judged together with the port (null = none); fails with the resolver's code, or
   * `EGRESS_REFUSED`. Family 0 = both.
   */
  resolve(hostname: string, family: 0 | 4 | 6, port: number | null): Promise<readonly string[]>;
  /** null = allowed; otherwise a sentence that says what would allow it. */
  judge(address: string, port: number | null): string | null;
  /** Makes connections instead, where a proxy is configured; answers with how to give up. */
  readonly tunnel?:
    | ((
        target: { readonly host: string; readonly port: number },
        done: (error: Error | null, socket: Socket | null) => void,
      ) => () => void)
    | null;
}

/** What a probe is made with. */
export interface ProbeMeans {
  readonly guard: EgressGuard;
  /** Of Tocsin, for the user agent. */
  readonly version: string;
  /** No probe takes longer, ms (reference §4.3: 30 s). */
  readonly limitMs?: number;
  /** Certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** Client certificates of an account, keys included. */
  readonly clientCertificates?: (accountId: string) => readonly ClientIdentity[];
  /** Name servers that DNS checks without one ask, `address` or `address:port`; those of the machine by default. */
  readonly nameServers?: readonly string[];
  /** Does what takes long of the work on an answer in another thread; here by default. */
  readonly offload?: Offload;
  /** What the bodies that are read at one time may hold; no bound by default. */
  readonly bodies?: ByteBudget;
  /** The program that sends pings, by its full path; that of the machine by default. */
  readonly pingCommand?: string;
}

/** One thing wrong with the settings of a check: where it stands, as `request.url`, and what would be right. */
export interface SettingsProblem {
  readonly path: string;
  readonly message: string;
}

/** What an alert tells of a result (spec §6.2: CHECK_URL, API_CHECK_RESPONSE_*). */
export interface KindFacts {
  readonly url: string | null;
  readonly status: number | null;
  readonly statusText: string | null;
}

/** A runtime that scripts can be run in. */
export interface ScriptRuntime extends Runtime {
  readonly folder: string;
  readonly nodeBinary: string;
}

/** What the probe of a scripted kind is made with. */
export interface ScriptProbeMeans {
  readonly runScript: RunScript;
  /** How long a script that is a check may take, by its type, ms. */
  readonly wallClockMs: Readonly<Partial<Record<CheckType, number>>>;
  /** The installed runtimes. */
  readonly runtimes: () => readonly ScriptRuntime[];
  /** The browser there is; null = none. */
  readonly chromium: () => ScriptBrowser | null;
  /** Looks at what a check names beside its script, as its kind's `beside` says. */
  readonly lookBeside: Probe;
  /** Epoch ms. */
  readonly now: () => number;
}

/** What the probe of a check with scripts around its request is made with. */
export interface AroundProbeMeans extends ScriptProbeMeans {
  /** Does half a probe in a thread that does nothing else. */
  readonly exchange: Exchange;
}

/** Of a kind whose checks may have scripts around what is measured (docs/decisions/0086). */
export interface AroundScripts {
  /** Whether a check has any, its own or its group's. */
  has(check: Pick<Check, 'settings'>, group: GroupScripts | null): boolean;
  /** What is measured, in its two halves, for a thread that does nothing else. */
  createExchange(means: ProbeMeans): Exchange;
  /** All of it: the scripts, a few checks at a time, and the halves between them. */
  createProbe(means: AroundProbeMeans): Probe;
}

/** What scripted checks may name to be looked at beside their scripts; of what is found the certificate alone is told. */
export interface BesideScripts {
  /** Whether a check names any. */
  has(check: Pick<Check, 'settings'>): boolean;
  /** For a thread that does nothing else. */
  createProbe(means: ProbeMeans): ThreadProbe;
}

/** A kind of check that is looked at by a thread that does nothing else. */
export interface CheckKind<Schema extends CheckSchema = CheckSchema> extends KindWords<Schema> {
  readonly isScripted?: never;
  readonly isCalled?: never;
  readonly around?: AroundScripts;
  createProbe(means: ProbeMeans): ThreadProbe;
}

/** A kind of check whose probes are scripts, each in a process of its own, a few at a time (docs/decisions/0082). */
export interface ScriptedKind<Schema extends CheckSchema = CheckSchema> extends KindWords<Schema> {
  readonly isScripted: true;
  readonly isCalled?: never;
  readonly around?: never;
  readonly beside?: BesideScripts;
  /** Why a runtime will not do for it, in a sentence; null = it will. */
  readonly refusesRuntime: (runtime: Runtime) => string | null;
  createProbe(means: ScriptProbeMeans): Probe;
}

/** A kind of check that looks at nothing: it waits to be called (docs/decisions/0090). */
export interface CalledKind<Schema extends CheckSchema = CheckSchema> extends KindWords<Schema> {
  readonly isScripted?: never;
  readonly isCalled: true;
  readonly around?: never;
}

/** A kind of check, of whatever sort. */
export type AnyKind = CheckKind | ScriptedKind | CalledKind;

/** What every kind says of its settings and results. */
export interface KindWords<Schema extends CheckSchema = CheckSchema> {
  /** What the API says of it. */
  readonly schema: Schema;
  /** What its results can be counted by. */
  readonly measures: Measures;
  /** What its schema cannot say; empty = fine. */
  validateSettings(settings: JsonObject): SettingsProblem[];
  /** Variables that the settings, and those of the group that take effect, use; absent = none. */
  variableUses?(settings: JsonObject, apiCheckDefaults: JsonObject | null): VariableUse[];
  /** Settings that can be saved but cannot have the wished effect. */
  warnSettings?(settings: JsonObject, shouldFail: boolean, apiCheckDefaults: JsonObject | null): SettingsProblem[];
  /** The part of a check result that belongs to the kind (reference §4.7). */
  describeResult(result: Pick<Result, 'details' | 'message' | 'reason'>, exchange: JsonObject | null): JsonObject;
  alertFacts(check: Pick<Check, 'settings'>, details: JsonValue): KindFacts;
}
