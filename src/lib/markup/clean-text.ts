// Removes from texts of people what markup does not allow, or what would change the text around them.

/** Without characters that XML forbids, and without marks that change the direction of what follows. Lines are kept. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll(/[\p{Noncharacter_Code_Point}\p{Bidi_Control}]|(?![\n\t])\p{Cc}/gu, '');
}

/** The same on one line. */
export function onlyLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Noncharacter_Code_Point}\p{Bidi_Control}]/gu, '')
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
}
