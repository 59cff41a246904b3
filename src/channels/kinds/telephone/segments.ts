// How many SMS messages a text takes (3GPP TS 23.038 and 23.040).

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Each takes the room of two characters. */
const extended = new Set('^{}\\[~]|€');

/** Number of messages, and whether characters outside the GSM alphabet make them shorter. */
export interface Segments {
  readonly count: number;
  readonly isUnicode: boolean;
}

/** Counts the messages of a text, as phone companies charge them. */
export function segmentsOf(text: string): Segments {
  const chars = Array.from(text);
  const isUnicode = chars.some((char) => !basic.has(char) && !extended.has(char));
  const sizes = chars.map((char) => (isUnicode ? char.length : extended.has(char) ? 2 : 1));
  const [alone, each] = isUnicode ? [70, 67] : [160, 153];
  if (sizes.reduce((sum, size) => sum + size, 0) <= alone) return { count: 1, isUnicode };
  let [count, used] = [1, 0];
  for (const size of sizes) {
    // A character is not split.
    if (used + size > each) [count, used] = [count + 1, 0];
    used += size;
  }
  return { count, isUnicode };
}
