// The audit log in the API: who changed what, when and from where.
import { z } from 'zod';
import { actorKinds, auditedResources } from '#domain/accounts/audit-entry.ts';
import { instant, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

const value = z.unknown().optional();

export const auditEntry = z
  .strictObject({
    id: z.uuid(),
    at: instant,
    actor: z
      .strictObject({
        kind: z.enum(actorKinds).describe('`link` = anyone with a signed link. `anonymous` = nobody had signed in.'),
        id: z.string().nullable().describe('ID of the person or API key.'),
        name: z.string().nullable().describe('Email address, name of the key, or command, at that time.'),
      })
      .describe('Who changed it.'),
    address: z.string().nullable().describe('IP address of the client. null = a command.'),
    requestId: z.string().nullable().describe('The `x-request-id` of the response.'),
    operation: z.string().describe('ID of the operation in this document, or name of the command.'),
    via: z.enum(['mcp']).nullable().describe('`mcp` = an assistant ran the operation. null = the client sent it.'),
    resource: z.enum(auditedResources).nullable(),
    resourceId: z.string().nullable(),
    resourceName: z.string().nullable().describe('Name at that time.'),
    changes: z
      .array(
        z.strictObject({
          resource: z.enum(auditedResources),
          id: z.string(),
          name: z.string().optional(),
          action: z.enum(['created', 'updated', 'deleted', 'refused']),
          fields: z
            .array(
              z.strictObject({
                path: z.string(),
                from: value.describe('Absent = no value.'),
                to: value.describe('Absent = no value.'),
                isSecret: z.literal(true).optional().describe('A secret or hidden value changed.'),
              }),
            )
            .describe('Fields that differ. Of a long text, the part that differs.'),
          omittedFields: z.int().optional().describe('Number of further fields that differ.'),
        }),
      )
      .describe('The first 20 changed resources, in at most 4000 bytes.'),
    count: z.int().describe('Number of changed resources.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryBody = z.output<typeof auditEntry>;

const filters = {
  actorId: z.string().max(100).exactOptional().describe('Only changes by this person or API key.'),
  actorKind: z.enum(actorKinds).exactOptional(),
  operation: z.string().max(100).exactOptional().describe('Only this operation, such as `updateCheck`.'),
  resource: z.enum(auditedResources).exactOptional(),
  resourceId: z.string().max(200).exactOptional(),
  from: queryInstant.exactOptional(),
  to: queryInstant.exactOptional(),
};

export const auditLogOperations = tagged('Accounts', {
  listAuditLog: {
    method: 'GET',
    path: '/v1/audit-log',
    summary: 'List the audit log',
    description: 'Who changed what in the account, newest first. Secrets are never included.',
    permission: 'admin',
    query: z.object({
      ...filters,
      limit: wholeNumber(1, 100).default(50),
      nextId: z.uuid().exactOptional().describe('Cursor from the previous response.'),
    }),
    response: z.strictObject({
      entries: z.array(auditEntry),
      nextId: z.string().nullable().describe('null on the last page.'),
    }),
  },
  exportAuditLog: {
    method: 'GET',
    path: '/v1/audit-log/csv',
    summary: 'Download the audit log as CSV',
    description:
      'The newest 10,000 entries that match; use `to` for older ones. Texts that a spreadsheet would read as a formula begin with an apostrophe.',
    permission: 'admin',
    query: z.object(filters),
    media: 'text/csv',
  },
} as const satisfies Untagged);
