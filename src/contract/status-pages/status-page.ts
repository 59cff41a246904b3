// Status pages in the API (reference §4.7).
import { z } from 'zod';
import {
  isHostName,
  isPageUrl,
  largestImage,
  mostCards,
  mostChannelsOfPage,
  mostServicesOfCard,
  pageLanguages,
  pageThemes,
  pageVisibilities,
} from '#domain/status-pages/status-page.ts';
import { english } from '#domain/status-pages/page-texts.ts';
import { instant, orNull, pathUuid, updateOf } from '#lib/schema/fields.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { timeZoneName } from '../lists.ts';
import { cursorPage, cursorQuery } from '../paging.ts';
import { namedService, serviceList } from './status-service.ts';

const none = () => [];
const text = (longest: number) => z.string().trim().min(1).max(longest);
/** An empty text, as other clients send it, means none. */
const orEmpty = (schema: z.ZodType<string>) =>
  z.preprocess((value) => (value === '' ? null : value), schema.nullable()).default(null);
const link = z
  .string()
  .max(2000)
  .refine(
    (url) => /^(https?:\/\/[^\s]+|mailto:[^\s]+)$/.test(url) && URL.canParse(url),
    'must be an http, https or mailto URL',
  );
const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0a7d33')
  .toLowerCase()
  .nullable();

const image = z
  .string()
  .max(Math.ceil(largestImage / 3) * 4 + 100, `must be at most ${largestImage / 1024} kB`)
  .regex(
    /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+=*$/,
    'must be a data URL of a PNG, JPEG, GIF, WebP or ICO image, because pages load nothing from elsewhere',
  )
  .describe('A data URL of a PNG, JPEG, GIF, WebP or ICO image of up to 32 kB.');

const words = {
  url: 'Last part of its address, `/status/{url}`: 1 to 64 lower-case letters, digits and hyphens. Unique in the installation.',
  customDomain:
    'Host name that serves only this page, such as `status.example.com`. Your proxy must forward it to Tocsin. Unique in the installation.',
  isPublished: 'false = a draft, which only people of the account see.',
  visibility:
    'Who sees the published page: everyone, those who know its password, those who have its link, or people of the account.',
  themeColors: 'Accent colours on the light and the dark background, with a contrast of at least 4.5.',
  alertChannelIds:
    'Alert channels that are notified of each change: incident updates with `notifySubscribers`, and public maintenance.',
  allowSubscribers: 'Whether visitors may subscribe by email, if the server can send mail.',
  texts: 'Texts in place of those of the language, by key.',
};

const textKeys = Object.keys(english);
const pageTexts = z.record(z.string().meta({ enum: textKeys }), z.string().max(500)).superRefine((texts, context) => {
  const unknown = Object.keys(texts).filter((key) => !Object.hasOwn(english, key));
  // The message lists the known ones, as that of an object does.
  const issue = { code: 'unrecognized_keys', keys: unknown, message: textKeys.join(' '), input: texts } as const;
  if (unknown.length > 0) context.addIssue(issue);
});

const writable = {
  name: text(200),
  url: z.string().refine(isPageUrl, 'must have 1 to 64 lower-case letters, digits and hyphens').describe(words.url),
  customDomain: orEmpty(
    z.string().toLowerCase().refine(isHostName, 'must be a host name, such as status.example.com'),
  ).describe(words.customDomain),
  description: orEmpty(text(1000)).describe('Shown below the name.'),
  isPublished: z.boolean().default(true).describe(words.isPublished),
  visibility: z.enum(pageVisibilities).default('PUBLIC').describe(words.visibility),
  password: z
    .string()
    .min(8)
    .max(200)
    .nullable()
    .default(null)
    .describe('For the visibility `PASSWORD`. Never returned; omit it to keep it.'),
  defaultTheme: z.enum(pageThemes).default('AUTO'),
  themeColors: z
    .strictObject({ light: color.default(null), dark: color.default(null) })
    .prefault({})
    .describe(words.themeColors),
  logo: orEmpty(image),
  favicon: orEmpty(image),
  redirectTo: orEmpty(link).describe('Where the logo leads.'),
  links: orNull(z.array(z.strictObject({ label: text(100), url: link })).max(8), none)
    .default([])
    .describe('Links in the footer.'),
  footerText: orEmpty(text(500)),
  language: z.enum(pageLanguages).default('en'),
  texts: orNull(pageTexts, () => ({}))
    .default({})
    .describe(words.texts),
  timeZone: timeZoneName
    .nullable()
    .default(null)
    .describe('Zone of times for readers without JavaScript. Others see their own. Default: the zone of the account.'),
  showResponseTimes: z.boolean().default(false),
  allowIndexing: z.boolean().default(true).describe('Whether search engines may list the page.'),
  allowSubscribers: z.boolean().default(true).describe(words.allowSubscribers),
  cards: orNull(
    z
      .array(
        z.strictObject({
          id: z.uuid().exactOptional().describe('Keeps the ID of a card; omit it for a new one.'),
          name: text(200),
          services: serviceList(mostServicesOfCard).default([]),
        }),
      )
      .max(mostCards),
    none,
  )
    .default([])
    .describe('Services under headings, in order.'),
  alertChannelIds: orNull(z.array(z.int().min(1).max(999_999_999_999_999)).max(mostChannelsOfPage), none)
    .default([])
    .describe(words.alertChannelIds),
};

export const statusPageCreate = z.strictObject(writable);
export type StatusPageCreate = z.output<typeof statusPageCreate>;

export const statusPage = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    url: z.string().describe(words.url),
    pageUrl: z.string().describe('Address of the page.'),
    customDomain: z.string().nullable().describe(words.customDomain),
    description: z.string().nullable(),
    isPublished: z.boolean().describe(words.isPublished),
    isPrivate: z.boolean().describe('Whether `visibility` is not `PUBLIC`.'),
    visibility: z.enum(pageVisibilities).describe(words.visibility),
    hasPassword: z.boolean(),
    defaultTheme: z.enum(pageThemes),
    themeColors: z.strictObject({ light: z.string().nullable(), dark: z.string().nullable() }),
    logo: z.string().nullable().describe('Data URL.'),
    favicon: z.string().nullable().describe('Data URL.'),
    redirectTo: z.string().nullable(),
    links: z.array(z.strictObject({ label: z.string(), url: z.string() })),
    footerText: z.string().nullable(),
    language: z.enum(pageLanguages),
    texts: z.record(z.string(), z.string()).describe(words.texts),
    timeZone: z.string().nullable(),
    showResponseTimes: z.boolean(),
    allowIndexing: z.boolean(),
    allowSubscribers: z.boolean().describe(words.allowSubscribers),
    subscribers: z.int().describe('Number of confirmed subscribers.'),
    cards: z.array(z.strictObject({ id: z.uuid(), name: z.string(), services: z.array(namedService) })),
    alertChannelIds: z.array(z.int()).describe(words.alertChannelIds),
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'StatusPage', description: 'A page that shows customers the state of services.' });
export type StatusPageBody = z.output<typeof statusPage>;

const previewedPage = statusPageCreate.extend({
  pageId: z
    .uuid()
    .nullable()
    .default(null)
    .describe('The page that is edited: services show the days and response times of its last publication.'),
});
const preview = z
  .strictObject({
    html: z.string().describe('The HTML document of the page. Its style is empty and its links lead nowhere.'),
    style: z.string().describe('The style sheet of the page.'),
  })
  .meta({ id: 'StatusPagePreview', description: 'A status page as visitors would see it.' });

const readOnly = [...readOnlyFields, 'isPrivate', 'hasPassword', 'pageUrl', 'accountId', 'subscribers'];
const params = z.object({ id: pathUuid('ID of the status page.') });
const unknown = { 404: 'Unknown status page.' };
const usual = usualOperations({ path: '/v1/status-pages', params, shown: statusPage, unknown: unknown[404] });
const taken = { 409: 'Another page has this address.' };

export const statusPageOperations = tagged('Status pages', {
  listStatusPages: {
    method: 'GET',
    path: '/v1/status-pages',
    summary: 'List the status pages',
    description: 'Oldest first.',
    permission: 'read',
    query: cursorQuery,
    response: cursorPage(statusPage),
  },
  createStatusPage: {
    ...usual.create,
    summary: 'Create a status page',
    body: ignoring(readOnly, statusPageCreate),
    example: { name: 'Example status', url: 'example', cards: [{ name: 'Shop', services: [] }] },
    alsoAnswers: taken,
  },
  previewStatusPage: {
    method: 'POST',
    path: '/v1/status-pages/preview',
    summary: 'Render a status page without saving it',
    description:
      'Takes the fields of a page, and saves nothing. Needs no password, and ignores services that do not exist.',
    permission: 'read',
    body: ignoring(readOnly, previewedPage),
    example: { name: 'Example status', url: 'example' },
    response: preview,
  },
  getStatusPage: { ...usual.get, summary: 'Get a status page' },
  updateStatusPage: {
    ...usual.update,
    summary: 'Update a status page',
    description: 'Omitted fields are kept.',
    body: ignoring(readOnly, updateOf(statusPageCreate)),
    example: { isPublished: true },
    alsoAnswers: { ...unknown, ...taken },
  },
  deleteStatusPage: {
    ...usual.remove,
    summary: 'Delete a status page',
    description: 'Deletes its subscribers too. Services and incidents remain.',
  },
} as const satisfies Untagged);
