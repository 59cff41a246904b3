// AWS clients of the CURRENT runtime in a contained script, against a server that verifies signatures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awsEnvironment, startAwsServer } from '../../tests/support/targets/aws-server.ts';
import { printed, runPlain } from '../../tests/support/scripts/script-runs.ts';

const script = `import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

const { AWS_SERVER: endpoint } = process.env;
const list = await new S3Client({ endpoint, forcePathStyle: true }).send(new ListObjectsV2Command({ Bucket: 'orders' }));
const queue = endpoint + '/queues/orders';
const sent = await new SQSClient({ endpoint }).send(new SendMessageCommand({ QueueUrl: queue, MessageBody: 'ping' }));
const item = { TableName: 'shops', Key: { id: { S: 'one' } } };
const got = await new DynamoDBClient({ endpoint }).send(new GetItemCommand(item));
const who = await new STSClient({ endpoint }).send(new GetCallerIdentityCommand({}));
console.log(JSON.stringify([list.Contents, sent.MessageId, got.Item, who.Account]));
`;

test('a script lists a bucket, sends to a queue, reads a table and gets its identity, signed with its variables', async (t) => {
  const server = await startAwsServer(t);
  const environment = { ...awsEnvironment, AWS_SERVER: server.url };
  const outcome = await runPlain(script, { environment });
  assert.deepEqual(outcome.errors, [], JSON.stringify(server.all.map(({ method, url }) => `${method} ${url}`)));
  const object = { Key: 'today.csv', LastModified: '2026-11-22T06:00:00.000Z', Size: 42 };
  assert.deepEqual(JSON.parse(printed(outcome)), [[object], 'message-1', { open: { BOOL: true } }, '123456789012']);
  assert.equal(server.all.length, 4, 'no other requests, and none twice');
});
