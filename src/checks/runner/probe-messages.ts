// Messages between the process and its probe threads. Batched because each message is expensive.
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { SeenAnswer } from '#domain/checks/exchange.ts';
import type { ExchangeWork } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { EgressPolicy } from '#egress/guard.ts';

/** Start data of a thread. */
export interface ThreadSettings {
  readonly egress: EgressPolicy;
  readonly version: string;
  readonly limitMs: number;
  readonly extraCertificates: readonly string[];
}

/** Message to the thread: probes to start and to stop. */
export interface ToThread {
  /** Probe inputs as JSON text, which is cheaper to send than objects. Probes of one account wait in turn. */
  readonly probes: { readonly number: number; readonly accountId: string; readonly text: string }[];
  /** Halves of probes. */
  readonly exchangeJobs: { readonly number: number; readonly work: ExchangeWork }[];
  readonly stop: number[];
  /** Changed client certificates, by account. */
  readonly certificates: Map<string, readonly ClientIdentity[]>;
}

/** Message from the thread: findings by probe number. */
export interface FromThread {
  readonly numbers: number[];
  readonly findings: Finding[];
  /** Responses of first halves. */
  readonly answers: { readonly number: number; readonly answer: SeenAnswer }[];
  /** Longest event loop delay of the thread in the last ten seconds. */
  readonly loopDelayMs: number;
  /** Whether no name server of this machine answers. */
  readonly isResolverDown: boolean;
}
