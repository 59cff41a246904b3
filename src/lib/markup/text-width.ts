// Estimated widths of texts in Verdana, the font of badges.

/** Characters by their width in hundredths of the font size. */
const widths: Readonly<Record<number, string>> = {
  27: "il'",
  35: 'fj ,.',
  39: 't!',
  44: 'rIJ()[]{}-/\\:;|"',
  53: 'csz',
  56: '?LF',
  60: 'kvxyaeP',
  63: 'bdghnopquTYE$*0123456789_`',
  69: 'ABCKRSVXZ',
  75: '&DHNU',
  79: 'GOQ',
  82: 'w#+<=>^~M',
  98: 'mW@',
  108: '%',
};

const widthOf = new Map(
  Object.entries(widths).flatMap(([width, characters]) => Array.from(characters, (each) => [each, Number(width)])),
);

/** Marks above and below other characters. */
const withoutWidth = /^[\p{M}\p{Cf}]$/u;
/** Ideographs and pictures. */
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}\uff01-\uff60]$/u;

/** The width of a text at a font size of 1. Badges fix the length of their texts, so that another font fits as well. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    width += widthOf.get(character) ?? (withoutWidth.test(character) ? 0 : wide.test(character) ? 100 : 68);
  }
  return width / 100;
}
