// Visits to the identity provider: what the browser leaves for, and what it brings back. Kept in this tab.

/** The page to which the provider sends the browser. */
const callbackPath = '/sign-in/callback';
const key = 'provider visit';

/** Why the browser visits the provider. */
export interface ProviderVisit {
  /** `connect`: the signed-in person connects the provider. */
  readonly purpose: 'sign-in' | 'connect';
  /** The page to go to afterwards: a path of this server. */
  readonly next: string;
  /** Token of an invitation to accept. */
  readonly invitation?: string;
}

/** Sends the browser to the provider. */
export function leaveForProvider(url: string, visit: ProviderVisit): void {
  sessionStorage.setItem(key, JSON.stringify(visit));
  location.assign(url);
}

/**
 * Keeps the answer of the provider, and removes it from the address and the history. Called before anything reads the
 * address.
 */
export function keepAnswer(): void {
  if (location.pathname !== callbackPath || location.search === '') return;
  sessionStorage.setItem(key, JSON.stringify({ ...visitOf(), answer: location.search }));
  history.replaceState(null, '', callbackPath);
}

/** The visit from which the browser has come back; `answer` = query of the callback page, '' = none. */
export function visitOf(): ProviderVisit & { readonly answer: string } {
  const nothing = { purpose: 'sign-in', next: '/', answer: '' } as const;
  try {
    return { ...nothing, ...(JSON.parse(sessionStorage.getItem(key) ?? '{}') as object) };
  } catch {
    return nothing;
  }
}

/** Forgets the visit, whose answer can be used once. */
export function endVisit(): void {
  sessionStorage.removeItem(key);
}
