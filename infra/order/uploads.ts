import { Stack } from 'aws-cdk-lib';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { dataKey, useOfKey, WRITE_OBJECTS_WITH_KEY } from '../constructs/data-key.ts';
import type { Stage } from '../stages.ts';
import { UPLOADS } from './people-rights.ts';

/** What an upload needs. A large file is uploaded in parts. */
const UPLOAD = ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];

/** Lets principals of other accounts upload. A key that the stack does not create is theirs to open. */
export function allowUploads(intake: Bucket, stage: Stage): void {
  const { packages, signatures, decisions } = stage.uploads;
  for (const [kind, arns] of Object.entries({ packages, signatures, decisions })) {
    if (arns.length === 0) continue;
    const resources = UPLOADS[kind as keyof typeof UPLOADS].map((file) => intake.arnForObjects(`orders/*/${file}`));
    intake.addToResourcePolicy(statement(`Upload${kind}`, arns, { actions: UPLOAD, resources }));
  }
  const all = [...new Set([...packages, ...signatures, ...decisions])];
  const useOf = useOfKey(Stack.of(intake), '*', WRITE_OBJECTS_WITH_KEY, ['s3']);
  if (all.length > 0) dataKey(intake, stage)?.addToResourcePolicy(statement('Uploads', all, useOf), true);
}

function statement(sid: string, arns: string[], allowed: ConstructorParameters<typeof PolicyStatement>[0]) {
  return new PolicyStatement({ sid, principals: arns.map((arn) => new ArnPrincipal(arn)), ...allowed });
}
