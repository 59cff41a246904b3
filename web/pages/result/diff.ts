// Line-based differences of two texts.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Maximum number of compared lines; more would take seconds. */
const linesMost = 2000;

/** The lines of both texts in order; null = too long. */
export function diffLines(before: string, after: string): readonly DiffLine[] | null {
  const [left, right] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  ) {
    end++;
  }
  const [removed, added] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  if (removed.length > linesMost || added.length > linesMost) return null;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(left.slice(0, start)),
    ...middle(removed, added),
    ...same(end === 0 ? [] : left.slice(left.length - end)),
  ];
}

/** By the longest common subsequence. */
function middle(left: readonly string[], right: readonly string[]): DiffLine[] {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const [old, fresh] = [left[row], right[column]];
    if (old !== undefined && old === fresh) {
      lines.push({ kind: 'same', text: old });
      row++;
      column++;
    } else if (
      old !== undefined &&
      (fresh === undefined || (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0))
    ) {
      lines.push({ kind: 'removed', text: old });
      row++;
    } else {
      lines.push({ kind: 'added', text: fresh ?? '' });
      column++;
    }
  }
  return lines;
}

/** Changed lines with context; a number is the count of omitted unchanged lines. */
export function folded(lines: readonly DiffLine[], context = 2): readonly (DiffLine | number)[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (DiffLine | number)[] = [];
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[index]) shown.push(line);
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
