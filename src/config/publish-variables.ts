// The variables of where copies of public status pages go: a folder, and an S3-compatible bucket.
import { resolve } from 'node:path';
import type { ConfigVariable } from './config-variable.ts';

/** A bucket and the key for it. */
export interface PublishBucket {
  /** Without a slash at its end. */
  readonly url: string;
  readonly region: string;
  readonly keyId: string;
  /** A secret. */
  readonly secret: string;
}

/** Variables of the copies of status pages. */
export const publishVariables = {
  TOCSIN_PUBLISH_FOLDER: {
    fallback: 'none',
    meaning:
      'Folder that receives a copy of each public status page as plain files, as `<folder>/<url>/index.html`. Created if missing. [Pages stay up](status-pages.md#keep-pages-up-when-tocsin-is-down) while Tocsin is down.',
    right: 'the path of a folder, without control characters',
    read: (text) => (/\p{Cc}/u.test(text) ? undefined : resolve(text)),
  } satisfies ConfigVariable<string>,
  TOCSIN_PUBLISH_BUCKET: {
    fallback: 'none',
    meaning:
      'URL of an S3-compatible bucket that receives the same copies, with a prefix if they are to have one. Requires `TOCSIN_PUBLISH_BUCKET_KEY_ID` and `TOCSIN_PUBLISH_BUCKET_SECRET`. The rules of `TOCSIN_EGRESS` do not apply.',
    right:
      'an http or https URL without user, query and fragment, such as https://s3.eu-central-1.amazonaws.com/example-status',
    read: readBucket,
  } satisfies ConfigVariable<string>,
  TOCSIN_PUBLISH_BUCKET_REGION: {
    fallback: '`us-east-1`',
    meaning: 'Region of the bucket. Some services call it `auto`.',
    right: 'the name of a region, such as eu-central-1',
    read: (text) => (/^[\w.-]{1,60}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_PUBLISH_BUCKET_KEY_ID: {
    fallback: 'none',
    meaning: 'ID of the access key for the bucket. It must allow to read, write, delete and list objects.',
    right: 'an access key ID',
    read: (text) => (/^[!-~]{1,200}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_PUBLISH_BUCKET_SECRET: {
    fallback: 'none',
    meaning: 'Secret of the access key for the bucket.',
    right: 'a secret access key',
    secret: true,
    read: (text) => (/^[!-~]{1,500}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
};

function readBucket(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && /^[\w./~-]*$/.test(url.pathname) ? url.href.replace(/\/+$/, '') : undefined;
}
