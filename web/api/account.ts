// The account of the page.
import { createContext } from 'react';

/** Id of the account that reads and writes act on. */
export const AccountContext = createContext('');

const storageKey = 'tocsin.account';

/** The account chosen on this device, or '' for the person's default. */
export function storedAccount(): string {
  return localStorage.getItem(storageKey) ?? '';
}

export function storeAccount(accountId: string): void {
  localStorage.setItem(storageKey, accountId);
}
