// External services through which channels send. The operator configures them; accounts share them.

/** A mail server and the sender of all mail. */
export interface SmtpGateway {
  /** `smtp://` or `smtps://` with host, port, user and password. A secret. */
  readonly url: string;
  /** How connections are secured: `required` refuses servers without STARTTLS, `off` never uses it. */
  readonly startTls: 'required' | 'if-offered' | 'off';
  /** Address in From, with or without a name: `Tocsin <alerts@example.com>`. */
  readonly from: string;
}

/** A service for SMS messages or phone calls. */
export interface TelephoneGateway {
  /** http or https URL; user and password are sent as Basic authorization. A secret. */
  readonly url: string;
  /** Template of the body, with NUMBER and TEXT. */
  readonly template: string;
}

/** Services that the channels of an installation can use; null = not configured. */
export interface Gateways {
  readonly smtp: SmtpGateway | null;
  /** Mail servers and senders of accounts that do not use `smtp`, by account ID. */
  readonly accountSmtp: Readonly<Record<string, SmtpGateway>>;
  readonly sms: TelephoneGateway | null;
  readonly call: TelephoneGateway | null;
  /** Base URL of a service with the PagerDuty Events API; null = PagerDuty itself. */
  readonly pagerDutyUrl: string | null;
  /** Base URL of a service with the Opsgenie API; null = Opsgenie itself, in the region of the channel. */
  readonly opsgenieUrl: string | null;
}

/** No service is configured. */
export const noGateways: Gateways = {
  smtp: null,
  accountSmtp: {},
  sms: null,
  call: null,
  pagerDutyUrl: null,
  opsgenieUrl: null,
};

/** The services that an account's channels use. */
export function gatewaysOf(gateways: Gateways, accountId: string): Gateways {
  return { ...gateways, smtp: gateways.accountSmtp[accountId] ?? gateways.smtp };
}
