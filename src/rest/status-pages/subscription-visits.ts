// Answers what visitors of status pages do with subscriptions: request, confirm, change and end them.
import type { PublicSubscriptions } from '#actions/status-pages/status-subscriptions.ts';
import type { SubscriptionSheet } from '#domain/status-pages/status-subscriber.ts';
import { pageHeaders } from '../html.ts';
import type { IncomingHttpHeaders } from 'node:http';

/** Pages about subscriptions to a page. */
export interface Sheets {
  askPassword(action: string, problem: 'wrong' | 'many' | null): string;
  render(sheet: SubscriptionSheet, home: string | null): string;
  readonly policy: string;
  readonly serviceIds: readonly string[];
}

/** A page that may take subscribers. */
export interface SubscribedPage {
  readonly accountId: string;
  readonly pageId: string;
  readonly sheets: Sheets;
}

export interface SubscriptionVisitOptions {
  readonly subscriptions: PublicSubscriptions;
  /** For pages that are no longer served. */
  readonly plainSheets: Sheets;
  /** Takes one of the requests that an address may make; false = none is left. */
  readonly maySubscribe: (address: string) => boolean;
  /** Takes one of the uses of the links of a subscriber. */
  readonly mayUse: (subscriberId: string) => boolean;
}

type Request = Pick<VisitRequest, 'method' | 'headers' | 'address' | 'readForm'>;

const statuses: Readonly<Record<SubscriptionSheet['kind'], number>> = {
  sent: 202,
  address: 400,
  busy: 429,
  confirm: 200,
  confirmed: 200,
  invalid: 404,
  end: 200,
  ended: 200,
  saved: 200,
};

/** Answers a request for a subscription. */
export async function answerSubscribe(
  { subscriptions, maySubscribe }: SubscriptionVisitOptions,
  { accountId, pageId, sheets }: SubscribedPage,
  request: Request,
): Promise<VisitResponse> {
  if (!maySubscribe(request.address)) return sheetOf(sheets, { kind: 'busy' }, request, './');
  const form = await request.readForm();
  const requested = { email: form?.get('address') ?? '', serviceIds: chosenServices(form, sheets) };
  const kind = await subscriptions.request({ accountId, pageId }, requested);
  return sheetOf(sheets, { kind }, request, './');
}

/** Answers the links of a mail. Opening one changes nothing, because mail scanners do that too. */
export async function answerLink(
  options: SubscriptionVisitOptions & { readonly sheetsOf: (pageId: string) => Sheets | undefined },
  kind: 'confirm' | 'unsubscribe',
  token: string,
  request: Request,
): Promise<VisitResponse> {
  const { subscriptions, plainSheets, mayUse, sheetsOf } = options;
  const subscriber = subscriptions.opened(kind, token);
  if (subscriber === null) return sheetOf(plainSheets, { kind: 'invalid' }, request, null);
  const sheets = sheetsOf(subscriber.pageId) ?? plainSheets;
  const answer = (sheet: SubscriptionSheet): VisitResponse => sheetOf(sheets, sheet, request, null);
  if (!mayUse(subscriber.id)) return answer({ kind: 'busy' });
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (kind === 'confirm') {
    if (isRead) return answer({ kind: 'confirm' });
    return answer({ kind: (await subscriptions.confirm(subscriber)) ? 'confirmed' : 'invalid' });
  }
  if (isRead) {
    const found = await subscriptions.find(subscriber);
    return answer(found === null ? { kind: 'end' } : { kind: 'end', serviceIds: found.serviceIds });
  }
  // Mail programs send a body of their own, also as multipart (RFC 8058).
  const form = await request.readForm();
  if (form?.get('action') === 'choose') {
    // Its services are not known here, and none of them would mean all.
    if (sheets === plainSheets) return answer({ kind: 'busy' });
    const isKnown = await subscriptions.chooseServices(subscriber, chosenServices(form, sheets));
    return answer({ kind: isKnown ? 'saved' : 'ended' });
  }
  await subscriptions.unsubscribe(subscriber);
  return answer({ kind: 'ended' });
}

/** null = all. */
function chosenServices(form: URLSearchParams | null, { serviceIds }: Sheets): readonly string[] | null {
  const named = new Set(form?.getAll('services') ?? []);
  const chosen = serviceIds.filter((id) => named.has(id));
  return chosen.length === 0 || chosen.length === serviceIds.length ? null : chosen;
}

function sheetOf(
  sheets: Sheets,
  sheet: SubscriptionSheet,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  home: string | null,
): VisitResponse {
  const status = statuses[sheet.kind];
  const retry = sheet.kind === 'busy' ? { 'retry-after': '3600' } : {};
  const accepted = headers.accept ?? '';
  if (accepted.includes('application/json') && !accepted.includes('text/html')) {
    const type = { 'content-type': 'application/json; charset=utf-8' };
    return { status, headers: { ...pageHeaders, ...type, ...retry }, body: JSON.stringify({ status: sheet.kind }) };
  }
  return {
    status,
    headers: { ...pageHeaders, 'content-security-policy': sheets.policy, ...retry },
    body: method === 'HEAD' ? '' : sheets.render(sheet, home),
  };
}

/** A request that may be a visit. */
export interface VisitRequest {
  readonly method: string;
  /** The request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Name under which the client asks, in lower case and without port; null = it is this server's own. */
  readonly foreignName: string | null;
  /** IP address of the client. */
  readonly address: string;
  /** Reads a small form; null = it is too large or not one. */
  readonly readForm: () => Promise<URLSearchParams | null>;
}

/** The response to a visit. */
export interface VisitResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}
