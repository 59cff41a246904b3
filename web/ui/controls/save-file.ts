// Saves a file that was read through the API.

/** Starts the download of a file. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later than the start of the download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
