// What passes between the process and its probe threads: many probes to a message, because each message costs.
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { SeenAnswer } from '#domain/checks/exchange.ts';
import type { ExchangeWork } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { EgressPolicy } from '#egress/guard.ts';

/** What a thread is started with. */
export interface ThreadSettings {
  readonly egress: EgressPolicy;
  readonly version: string;
  readonly limitMs: number;
  readonly extraCertificates: readonly string[];
}

/** To the thread: probes to start and to stop. */
export interface ToThread {
  /** Each with its input as JSON: half of what a copy of its objects costs on the way. Those of one account wait in turn. */
  readonly probes: { readonly number: number; readonly accountId: string; readonly text: string }[];
  /** Halves of probes. */
  readonly halves: { readonly number: number; readonly work: ExchangeWork }[];
  readonly stop: number[];
  /** Client certificates by account, where they are others than before. */
  readonly certificates: Map<string, readonly ClientIdentity[]>;
}

/** From the thread: findings by the number of their probe. */
export interface FromThread {
  readonly numbers: number[];
  readonly findings: Finding[];
  /** Of halves that have one. */
  readonly answers: { readonly number: number; readonly answer: SeenAnswer }[];
  /** The longest hold-up of the thread's loop over the last ten seconds, ms. */
  readonly loopDelayMs: number;
}
