// The interface of a channel kind. Kinds import this file, never each other.
import type { z } from 'zod';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { AlertChannel, ChannelPreset } from '#domain/alerts/alert-channel.ts';
import type { Message, SendOutcome } from '#domain/deliveries/delivery.ts';
import type { MessageView } from '#domain/deliveries/message-view.ts';
import type { SendingQuota } from '#domain/deliveries/sending-quota.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ConnectionGuard } from '#lib/net/guarded.ts';
import type { DigestMessage } from './parts/digest-summary.ts';
import type { NewsMessage } from './parts/news-message.ts';
import type { ReportMessage } from './parts/report-summary.ts';
import type { ConfigIssue, ConfigWarning, TemplateField, TemplateNames } from './templates/fields.ts';
import type { RenderFacts } from './templates/context.ts';

/** A channel kind: where alerts go, how they are rendered and how they are sent. */
export interface ChannelKind {
  readonly type: string;
  /** Schema of `config` in requests. Fields made by `secretText` are stored sealed and shown masked. */
  readonly config: z.ZodObject;
  readonly secretRules?: SecretRules;
  /**
   * Templates of a configuration. They are compiled and limited on save; values of locked variables are masked in their
   * output.
   */
  readonly templatesOf: (config: JsonObject) => readonly TemplateField[];
  /** Errors that neither the schema nor the templates can express. Empty if valid. */
  faults?(config: JsonObject): readonly ConfigIssue[];
  /** Returns what the operator must set up before such a channel can be saved, in a sentence; null = nothing. */
  missing?(gateways: Gateways): string | null;
  /** Preview warnings other than unknown names. `templates` holds all valid templates. */
  warnings?(
    config: JsonObject,
    templates: readonly TemplateNames[],
    variables: TemplateVariables,
  ): readonly ConfigWarning[];
  /** Ready-made configurations. */
  readonly presets?: readonly Omit<ChannelPreset, 'type'>[];
  /** Default of a channel's `grouping`. Absent = false: it receives every alert (docs/decisions/0138). */
  isGrouped?(config: JsonObject): boolean;
  /** While a check flaps, its channels receive only the announcement, failures that last, and the end. */
  readonly isBrief?: true;
  /** Limits how much an account sends per hour through a service of the operator. */
  readonly quota?: SendingQuota;
  /**
   * Present if its readers want the present: a message that waits is superseded by a newer one of its incident
   * (docs/decisions/0136). Otherwise every message is sent.
   */
  readonly isSuperseded?: true;
  /** Renders the message of a delivery. A TemplateError ends the delivery as failed. */
  render(config: JsonObject, variables: TemplateVariables, facts: RenderFacts, gateways: Gateways): Message;
  /** How the receiver shows a message that `render` has made. Present if it looks different from the request. */
  view?(message: Message): MessageView;
  /**
   * Renders a digest of many alerts. Present if its channels belong to people: in an alert storm they get digests
   * instead of a message per alert. Bounded in size, whatever the names of checks.
   */
  renderDigest?(config: JsonObject, message: DigestMessage, facts: RenderFacts, gateways: Gateways): Message;
  /** Renders a report on the account. Present if channels of this kind can receive reports. */
  renderReport?(config: JsonObject, message: ReportMessage, facts: RenderFacts, gateways: Gateways): Message;
  /** Renders changes of a status page. Present if channels of this kind can receive them. */
  renderNews?(config: JsonObject, message: NewsMessage, facts: RenderFacts, gateways: Gateways): Message;
  /** Why a channel with this configuration cannot receive changes of status pages; null = it can. */
  refusesNews?(config: JsonObject): string | null;
  /** Renders an invitation to an account. Present if messages of this kind prove an email address. */
  readonly renderInvitation?: (
    invitation: InvitationMessage,
    facts: RenderFacts,
    smtp: NonNullable<Gateways['smtp']>,
  ) => Message;
  /** Renders a link for choosing another password. Present with `renderInvitation`. */
  readonly renderPasswordReset?: (
    reset: PasswordResetMessage,
    facts: RenderFacts,
    smtp: NonNullable<Gateways['smtp']>,
  ) => Message;
  /** Renders a mail with one link to a person outside of the account. Present with `renderInvitation`. */
  readonly renderLinkMail?: (mail: LinkMessage, facts: RenderFacts, smtp: NonNullable<Gateways['smtp']>) => Message;
  /** Loads the sender. Called only in the sending thread (docs/decisions/0030). */
  readonly loadSender: () => Promise<(options: SenderOptions) => ChannelSender>;
}

/** An invitation to an account, for the invited person. */
export interface InvitationMessage {
  readonly id: string;
  readonly address: string;
  readonly accountName: string;
  readonly role: string;
  /** The one-time link. */
  readonly url: string;
  /** IANA name of the zone of the account. */
  readonly timeZone: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** A link for choosing another password, for the person. */
export type PasswordResetMessage = Omit<InvitationMessage, 'accountName' | 'role'>;

/** A mail with one link, in words of its sender. */
export interface LinkMessage extends Pick<InvitationMessage, 'id' | 'address' | 'url'> {
  /** Its subject and heading. */
  readonly title: string;
  readonly intro: string;
  /** Text of the link. */
  readonly action: string;
  readonly note: string;
  /** BCP 47. */
  readonly language: string;
}

/** Rules for secrets that outlive a single field. */
export interface SecretRules {
  /**
   * Returns what to store after a write. A secret field may keep a form to show, such as its host, in `config`.
   *
   * @param meant the written configuration, with its secrets separated
   * @param present the secrets stored so far
   * @param now epoch ms
   */
  stored(meant: Stored, present: JsonObject, now: number): Stored | { readonly issue: ConfigIssue };
  /** Returns extra fields of the displayed configuration. @param now epoch ms */
  shown?(secrets: JsonObject, now: number): JsonObject;
}

type Stored = Pick<AlertChannel, 'config' | 'secrets'>;

export interface SenderOptions {
  readonly guard: ConnectionGuard;
  /** For services that the operator chose, wherever they are. */
  readonly operatorGuard: ConnectionGuard;
  readonly gateways: Gateways;
  /** CA certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** Milliseconds from the start to the last byte of the response. Default 30,000 (spec §6.5, §8). */
  readonly deadlineMs?: number;
}

/** One attempt: the stored message and the context needed to send it. */
export interface Sending {
  readonly type: string;
  /** Accounts take turns where connections are scarce. */
  readonly accountId: string;
  readonly request: Message;
  /** Idempotency key; the same for every retry. */
  readonly deliveryId: string;
  /** Creation time of the delivery in epoch ms; the same for every retry. */
  readonly createdAt: number;
  /** Starts at 1. */
  readonly attempt: number;
  /** The delivery being replayed, or null. */
  readonly replayOf: string | null;
  /** Current secrets of the channel. */
  readonly secrets: JsonObject;
  /** Start of the attempt, epoch ms. */
  readonly startedAt: number;
  /** Client certificate for receivers that request one. */
  readonly identity?: ClientIdentity | null;
}

export interface ChannelSender {
  /** Makes one attempt. Receiver and network failures are outcomes, not rejections. */
  send(sending: Sending): Promise<SendOutcome>;
  /** Closes all connections. Attempts in progress end as interrupted. */
  close(): Promise<void>;
}
