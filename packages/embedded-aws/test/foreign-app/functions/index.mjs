import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';

const s3 = new S3Client({});
const stepFunctions = new SFNClient({});

export async function handler({ Records }) {
  for (const { messageId, body } of Records) {
    await s3.send(new PutObjectCommand({ Bucket: process.env.RECEIPTS, Key: messageId, Body: body }));
    await stepFunctions.send(new StartExecutionCommand({ stateMachineArn: process.env.MACHINE, name: messageId }));
  }
}
