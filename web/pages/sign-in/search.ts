// What the address of the sign-in page holds.

/** The destination after signing in: a path of this server. `//host` and similar values would lead elsewhere. */
export function nextPage({ next }: { readonly next?: unknown }): { readonly next?: string } {
  const isOwn =
    typeof next === 'string' && next.startsWith('/') && URL.parse(next, location.href)?.origin === location.origin;
  return isOwn ? { next } : {};
}
