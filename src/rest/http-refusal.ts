// Errors of the HTTP layer itself, before any action is called.

/** An error with its HTTP status. The message is shown to the client. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly statusCode: number;
  readonly attributes: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    statusCode: number,
    message: string,
    more: {
      readonly attributes?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    this.attributes = more.attributes;
    this.headers = more.headers;
  }
}
