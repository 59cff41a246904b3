// Writes JSON responses in slices, so that megabytes do not block the event loop.

/** Characters written per turn of the event loop. */
const writtenAtOnce = 256 * 1024;

/**
 * Serializes a value like `JSON.stringify`, but list items one by one, also for a list that is a member of the value.
 * @param turn waits until that many characters may be written; null = at once
 * @returns the slices in order; a single one for a small value, none if the value has no JSON
 */
export async function writeJson(
  value: unknown,
  fairQueue: (size: number) => Promise<void> | null,
): Promise<string | readonly Buffer[] | undefined> {
  const slices: Buffer[] = [];
  let text = '';
  const writeList = async (items: readonly unknown[]): Promise<void> => {
    text += '[';
    for (const [index, item] of items.entries()) {
      text += `${index === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`;
      if (text.length < writtenAtOnce) continue;
      const slice = Buffer.from(text);
      text = '';
      slices.push(slice);
      await fairQueue(slice.length);
    }
    text += ']';
  };
  if (Array.isArray(value)) await writeList(value);
  else if (!hasList(value)) return JSON.stringify(value);
  else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    for (const [index, [name, member]] of members.entries()) {
      text += `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (Array.isArray(member)) await writeList(member);
      else text += JSON.stringify(member);
    }
    text += '}';
  }
  return slices.length === 0 ? text : [...slices, Buffer.from(text)];
}

function hasList(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some(Array.isArray);
}
