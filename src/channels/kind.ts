// The interface of a channel kind. Kinds import this file, never each other.
import type { LookupFunction, Socket } from 'node:net';
import type { z } from 'zod';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { ChannelPreset } from '#domain/alerts/channel-preset.ts';
import type { Message, SendOutcome } from '#domain/alerts/delivery.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ConfigIssue, ConfigWarning, TemplateField, TemplateNames } from './templates/fields.ts';
import type { RenderFacts } from './templates/context.ts';

/** A kind of channel: where alerts go, what they say, and how they are sent. */
export interface ChannelKind {
  /** The channel's `type`. */
  readonly type: string;
  /** Schema of `config` in requests. Fields made by `secretText` are stored sealed and shown masked. */
  readonly config: z.ZodObject;
  /** Schema of `config` in responses, with every field present. */
  readonly shownConfig: z.ZodObject;
  readonly secretRules?: SecretRules;
  /** The templates of a configuration. Compiled and limited on save; values of locked variables are masked in their output. */
  readonly templatesOf: (config: JsonObject) => readonly TemplateField[];
  /** Faults that neither the schema nor the templates can express; empty = valid. */
  faults?(config: JsonObject): readonly ConfigIssue[];
  /** Warnings for a preview besides unknown names. `templates`: all of them, each valid. */
  warnings?(
    config: JsonObject,
    templates: readonly TemplateNames[],
    variables: TemplateVariables,
  ): readonly ConfigWarning[];
  /** Configurations to start from. */
  readonly presets?: readonly Omit<ChannelPreset, 'type'>[];
  /** Renders the message of a delivery. A TemplateError ends the delivery as failed. */
  render(config: JsonObject, variables: TemplateVariables, facts: RenderFacts): Message;
  /** Loads the sender; called only in the sending thread (docs/decisions/0030). */
  readonly loadSender: () => Promise<(options: SenderOptions) => ChannelSender>;
}

/** Rules for secrets that outlive a single field. */
export interface SecretRules {
  /**
   * What is stored after a write.
   *
   * @param meant the written configuration, and its secrets and what was kept with them apart
   * @param present secrets that are stored before it
   * @param now epoch ms
   */
  stored(meant: Stored, present: JsonObject, now: number): Stored | { readonly issue: ConfigIssue };
  /** Further fields of the shown configuration. @param now epoch ms */
  shown(secrets: JsonObject, now: number): JsonObject;
}

type Stored = Pick<AlertChannel, 'config' | 'secrets'>;

/** Where requests may go, as far as sending needs to know. */
export interface EgressGuard {
  /**
   * `dns.lookup` for connections to a port; refuses by an error whose code is `EGRESS_REFUSED` and whose message is the sentence
   * to show.
   */
  lookupFor(port: number): LookupFunction;
  /** null = may be connected to; otherwise the sentence of the refusal. */
  judge(address: string, port: number): string | null;
  /** Makes connections instead, where a proxy is configured; answers with how to give up. */
  readonly tunnel?: Tunnel | null;
}

/** Makes a connection; answers with how to give up. */
export type Tunnel = (
  target: { readonly host: string; readonly port: number },
  done: (error: Error | null, socket: Socket | null) => void,
) => () => void;

/** What a sender is made with. */
export interface SenderOptions {
  readonly guard: EgressGuard;
  /** CA certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** From the start to the answer's last byte, ms; 30,000 unless told otherwise (spec §6.5, §8). */
  readonly deadlineMs?: number;
}

/** What is sent in one attempt: the stored message, and what is known beside it. */
export interface Sending {
  /** Of the channel. */
  readonly type: string;
  readonly request: Message;
  /** Constant over retries: the receiver's idempotency key. */
  readonly deliveryId: string;
  /** Epoch ms at which the delivery was created: constant over its retries. */
  readonly createdAt: number;
  /** From 1. */
  readonly attempt: number;
  /** The delivery that this one repeats; null = it is no replay. */
  readonly replayOf: string | null;
  /** Of the channel, as they are now. */
  readonly secrets: JsonObject;
  /** Epoch ms: when the attempt starts. */
  readonly startedAt: number;
  /** Shown to a receiver that asks for a client certificate; absent or null = none. */
  readonly identity?: ClientIdentity | null;
}

/** Sends deliveries. */
export interface ChannelSender {
  /** One attempt. Never rejects for what the receiver or the network does: that is the outcome. */
  send(sending: Sending): Promise<SendOutcome>;
  /** Closes every connection. Attempts in progress end as interrupted. */
  close(): Promise<void>;
}
