// What a place for copies of status pages can do.
import type { PublishedFile } from '../page-view.ts';

/** A folder or a bucket. Paths are relative, with slashes. Each operation ends within some seconds, or fails. */
export interface CopyPlace {
  /** null = there is no such file. */
  read(path: string): Promise<Buffer | null>;
  /** Replaces a file as a whole: readers see the old or the new one. */
  write(path: string, file: PublishedFile): Promise<void>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Files that are written at once. */
  readonly atOnce: number;
}
