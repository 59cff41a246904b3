// An AWS of our own on loopback, as far as scripts of tests ask it: a bucket, a table, a queue, and who is asking.
import { createHash } from 'node:crypto';
import { type Cleanup, type Hit, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** The environment of a script, so that AWS clients find the server without other requests. */
export const awsEnvironment = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'a-secret-of-a-test',
  AWS_REGION: 'eu-central-1',
};

/** Starts it; what is not signed with these credentials for the service that it asks is refused. */
export async function startAwsServer(t: Cleanup): Promise<ScriptedServer> {
  const server = await startScriptedServer(t);
  server.answer((hit) => {
    const [service, body] = answerOf(hit);
    const credential = `Credential=${awsEnvironment.AWS_ACCESS_KEY_ID}/\\d{8}/${awsEnvironment.AWS_REGION}/${service}/aws4_request`;
    const isSigned = new RegExp(`^AWS4-HMAC-SHA256 ${credential}, .*Signature=[\\da-f]{64}$`);
    return isSigned.test(hit.headers.authorization ?? '') ? { status: 200, body } : { status: 403, body: '' };
  });
  return server;
}

function answerOf({ method, url, headers, body }: Hit): readonly [service: string, body: string] {
  const sent = body.toString();
  const target = headers['x-amz-target'];
  if (method === 'GET' && /^\/orders\/?\?list-type=2/.test(url)) {
    const content = '<Key>today.csv</Key><Size>42</Size><LastModified>2026-11-22T06:00:00.000Z</LastModified>';
    return ['s3', `<ListBucketResult><KeyCount>1</KeyCount><Contents>${content}</Contents></ListBucketResult>`];
  }
  if (target === 'AmazonSQS.SendMessage') {
    const { MessageBody } = JSON.parse(sent) as { readonly MessageBody: string };
    const digest = createHash('md5').update(MessageBody).digest('hex');
    return ['sqs', JSON.stringify({ MessageId: 'message-1', MD5OfMessageBody: digest })];
  }
  if (target === 'DynamoDB_20120810.GetItem') return ['dynamodb', JSON.stringify({ Item: { open: { BOOL: true } } })];
  const result = '<GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult>';
  return ['sts', `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`];
}
