// Draws badges as SVG: a label beside a value, in five styles and three themes.
import { onlyLine } from './clean-text.ts';
import { type Html, html } from './html.ts';

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
function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    width += widthOf.get(character) ?? (withoutWidth.test(character) ? 0 : wide.test(character) ? 100 : 68);
  }
  return width / 100;
}

/** Meaning of the color of a value. */
export type BadgeTone = 'good' | 'warning' | 'bad' | 'neutral';

export interface Badge {
  /** Any text; it is cut if it is long. */
  readonly label: string;
  readonly value: string;
  /** After the value, such as `120 ms`; never in capital letters. */
  readonly detail?: string | null;
  readonly tone: BadgeTone;
  readonly style: keyof typeof shapes;
  readonly theme: keyof typeof palettes;
}

/** Colors, the only ones in a badge. */
interface Palette {
  readonly label: string;
  readonly onLabel: string;
  readonly onValue: string;
  readonly card: string;
  readonly line: string;
  readonly onCard: string;
  readonly tones: Readonly<Record<BadgeTone, string>>;
}

const deep = { good: '#0b7a5c', warning: '#8f5a00', bad: '#c02522', neutral: '#5d636c' } as const;
const bright = { good: '#55cda4', warning: '#f0b854', bad: '#ff8a82', neutral: '#a4abb5' } as const;
const paper = { onValue: '#ffffff', card: '#fafaf9', line: '#c9c9c4', onCard: '#1b1d21', tones: deep } as const;

const palettes = {
  default: { ...paper, label: '#454b53', onLabel: '#ffffff' },
  light: { ...paper, label: '#e2e2de', onLabel: '#1b1d21' },
  dark: {
    label: '#2c3137',
    onLabel: '#e7e8ea',
    onValue: '#121417',
    card: '#21252a',
    line: '#454b53',
    onCard: '#e7e8ea',
    tones: bright,
  },
} satisfies Record<string, Palette>;

/** How a style looks. Sizes are pixels. */
interface Shape {
  readonly height: number;
  readonly radius: number;
  readonly fontSize: number;
  /** On both sides of a text. */
  readonly padding: number;
  readonly isBold?: true;
  /** In capital letters, that far apart. */
  readonly capitals?: number;
  /** Light and shadow from top to bottom: offset, color and opacity. */
  readonly gloss?: readonly (readonly [offset: number, color: string, opacity: number])[];
}

const [light, shade] = ['#ffffff', '#000000'];
const shapes = {
  flat: {
    height: 20,
    radius: 3,
    fontSize: 11,
    padding: 6,
    gloss: [
      [0, light, 0.08],
      [1, shade, 0.08],
    ],
  },
  plastic: {
    height: 18,
    radius: 4,
    fontSize: 11,
    padding: 6,
    gloss: [
      [0, light, 0.45],
      [0.15, light, 0.08],
      [0.85, shade, 0.1],
      [1, shade, 0.35],
    ],
  },
  'flat-square': { height: 20, radius: 0, fontSize: 11, padding: 6 },
  'for-the-badge': { height: 28, radius: 0, fontSize: 10, padding: 11, isBold: true, capitals: 1.2 },
  social: { height: 20, radius: 2, fontSize: 11, padding: 6, isBold: true },
} satisfies Record<string, Shape>;

/** Longest label and value, in characters. */
const maxCharacters = 60;
/** Bold letters are that much wider. */
const boldWidth = 1.12;
/** Between label and value of `social`, with the tip of the bubble. */
const gap = 6;

/** A text in its place. */
interface Placed {
  readonly text: string;
  /** Width of the text, and of its box. */
  readonly length: number;
  readonly width: number;
}

/** An SVG document, of constant colors and escaped texts. */
export function drawBadge({ label, value, detail = null, tone, style, theme }: Badge): string {
  const [shape, palette]: readonly [Shape, Palette] = [shapes[style], palettes[theme]];
  const capital = (text: string): string => (shape.capitals === undefined ? text : text.toUpperCase());
  const shown = [capital(value), ...(detail === null ? [] : [detail])].join(' ');
  const [name, said] = [place(capital(clean(label)), shape), place(clean(shown), shape)];
  const draw = style === 'social' ? drawBubble : drawBar;
  const { width, content } = draw(name, said, palette.tones[tone], shape, palette);
  const whole = `${clean(label)}: ${clean([value, detail ?? ''].join(' '))}`;
  return svg`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${shape.height}" viewBox="0 0 ${width} ${shape.height}" role="img" aria-label="${whole}"><title>${whole}</title>${content}</svg>`
    .text;
}

/** SVG escapes its texts as HTML does. */
const svg = html;

type Draw = (
  label: Placed,
  value: Placed,
  tone: string,
  shape: Shape,
  palette: Palette,
) => { readonly width: number; readonly content: Html };

/** Label and value side by side. */
const drawBar: Draw = (label, value, tone, shape, { label: color, onLabel, onValue }) => {
  const { height, radius, gloss } = shape;
  const [at, width] = [label.width, label.width + value.width];
  const left = `M${at} 0H${radius}a${radius} ${radius} 0 0 0-${radius} ${radius}V${height - radius}a${radius} ${radius} 0 0 0 ${radius} ${radius}H${at}z`;
  const right = `M${at} 0H${width - radius}a${radius} ${radius} 0 0 1 ${radius} ${radius}V${height - radius}a${radius} ${radius} 0 0 1-${radius} ${radius}H${at}z`;
  const content = svg`${gloss !== undefined && gradient(gloss)}<path d="${left}" fill="${color}"/><path d="${right}" fill="${tone}"/>${
    gloss !== undefined && svg`<rect width="${width}" height="${height}" rx="${radius}" fill="url(#gloss)"/>`
  }${write(
    [
      { ...label, at: 0, color: onLabel },
      { ...value, at, color: onValue },
    ],
    shape,
  )}`;
  return { width, content };
};

/** The value in a bubble beside the label. */
const drawBubble: Draw = (label, value, tone, shape, { card, line, onCard }) => {
  const { height, radius } = shape;
  const at = label.width + gap;
  const [width, middle] = [at + value.width, height / 2];
  const box = (x: number, size: number): Html =>
    svg`<rect x="${x + 0.5}" y="0.5" width="${size - 1}" height="${height - 1}" rx="${radius}" fill="${card}" stroke="${line}"/>`;
  const tip = `M${at + 1} ${middle - 4}l-4 4l4 4`;
  const content = svg`${box(0, label.width)}${box(at, value.width)}<path d="${tip}" fill="${card}" stroke="${line}"/>${write(
    [
      { ...label, at: 0, color: onCard },
      { ...value, at, color: tone },
    ],
    shape,
  )}`;
  return { width, content };
};

function gradient(gloss: NonNullable<Shape['gloss']>): Html {
  const stops = gloss.map(
    ([offset, color, opacity]) => svg`<stop offset="${offset}" stop-color="${color}" stop-opacity="${opacity}"/>`,
  );
  return svg`<linearGradient id="gloss" x2="0" y2="1">${stops}</linearGradient>`;
}

function write(texts: readonly (Placed & { readonly at: number; readonly color: string })[], shape: Shape): Html {
  const { height, fontSize, isBold } = shape;
  const y = rounded(height / 2 + fontSize * 0.36);
  const written = texts.map(
    ({ text, length, width, at, color }) =>
      // A length of 0 is an error, e.g. of a name of zero-width characters.
      svg`<text x="${rounded(at + width / 2)}" y="${y}" fill="${color}"${length > 0 && svg` textLength="${length}" lengthAdjust="spacingAndGlyphs"`}>${text}</text>`,
  );
  return svg`<g font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontSize}"${isBold && svg` font-weight="bold"`} text-anchor="middle">${written}</g>`;
}

function place(text: string, { fontSize, padding, isBold, capitals = 0 }: Shape): Placed {
  const length = rounded(textWidth(text) * fontSize * (isBold ? boldWidth : 1) + Array.from(text).length * capitals);
  return { text, length, width: Math.ceil(length) + 2 * padding };
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** A text on one line, cut if it is long. */
function clean(text: string): string {
  const plain = onlyLine(text);
  const characters = Array.from(plain);
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : plain;
}
