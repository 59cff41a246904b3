// The types of the cookie library that checks use, so that a checkout compiles before its packages are installed anew.
declare module 'tough-cookie' {
  export interface Cookie {
    readonly key: string;
    cookieString(): string;
  }

  export class CookieJar {
    constructor(store: undefined, options: { readonly allowSecureOnLocal: boolean });
    setCookieSync(header: string, url: string, options?: { readonly ignoreError: boolean }): unknown;
    getCookiesSync(url: string): Cookie[];
  }
}
