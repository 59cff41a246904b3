// Parts of a URI without their escapes.

/** A part without its escapes; unchanged if they are invalid. */
export function decodedUriPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `user:password` of a URL; null = none. */
export function userInfoOf({ username, password }: URL): string | null {
  return username === '' && password === '' ? null : `${decodedUriPart(username)}:${decodedUriPart(password)}`;
}
