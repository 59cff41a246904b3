// Subscribers of status pages: people who receive changes of a page by email, once they have confirmed their address.

/** A subscriber of a page. Instants are epoch ms. */
export interface StatusSubscriber {
  readonly accountId: string;
  readonly pageId: string;
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  /** IDs of the services whose changes it receives; null = all. */
  readonly serviceIds: readonly string[] | null;
  /** null = not confirmed: it receives nothing but the mail that asks for confirmation. */
  readonly confirmedAt: number | null;
  /** When the subscription was last requested. */
  readonly requestedAt: number;
  readonly createdAt: number;
}

/** A subscription that somebody asks for. */
export type SubscriberRequest = Pick<StatusSubscriber, 'email' | 'serviceIds'>;

/** How long an address can be confirmed, ms. Then the subscriber is deleted. */
export const confirmableMs = 86_400_000;
/** Subscribers of a page that may wait for confirmation. */
export const mostPending = 2000;

/** When mails may be sent: up to `atOnce` together, and then one per interval. */
export interface MailPace {
  readonly atOnce: number;
  readonly intervalMs: number;
}

/** To an address, from all pages of the installation together. */
export const pacePerAddress: MailPace = { atOnce: 3, intervalMs: 2 * 3_600_000 };
/** For an account. */
export const pacePerAccount: MailPace = { atOnce: 300, intervalMs: 6000 };

/** Delays between attempts to send a mail, ms. */
export const mailRetriesMs: readonly number[] = [60_000, 300_000, 900_000, 3_600_000, 14_400_000];

/** An address in the form that is stored; null = it is none that mail can be sent to. */
export function emailOf(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && /^[^\s@"(),:;<>[\]\\\p{C}]{1,64}@[^\s@"(),:;<>[\]\\\p{C}]+\.[^\s@.]+$/u.test(email)
    ? email
    : null;
}

/** The mailbox of an address, as far as it shows: `a+b@x` and `a@x` are one. */
export function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*@/, '@');
}

/** Whether a subscriber receives a change of these services. */
export function receives(
  { serviceIds }: Pick<StatusSubscriber, 'serviceIds'>,
  changed: readonly string[] | null,
): boolean {
  return serviceIds === null || changed === null || serviceIds.some((id) => changed.includes(id));
}

/** What a page about a subscription shows. */
export type SubscriptionSheet =
  | { readonly kind: 'sent' | 'address' | 'busy' | 'confirm' | 'confirmed' | 'invalid' | 'ended' | 'saved' }
  /** @see StatusSubscriber; undefined = unknown subscriber, which is not told apart */
  | { readonly kind: 'end'; readonly serviceIds?: readonly string[] | null };
