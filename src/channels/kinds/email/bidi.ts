// Keeps marks of text direction in untrusted text from reordering the text around it (Unicode UAX 9).
const directional = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Isolates a text if it could reorder its surroundings. Removes isolates in the text, so that it cannot end this one. */
export function isolated(text: string): string {
  return directional.test(text) ? `\u2068${text.replace(/[\u2066-\u2069]/g, '')}\u2069` : text;
}
