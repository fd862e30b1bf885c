import { DescribeSecretCommand, GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { casesOf, misdirected, unchecked } from '../case.ts';

const { answers, refuses } = casesOf(SecretsManagerClient, 'https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_{operation}.html', ({ secret }) => ({ SecretId: secret }));
const TOKEN = 'c0ffee00-0000-4000-8000-000000000001';
const text = ({ SecretString }: { SecretString?: string | undefined }) => SecretString;

export const secretsManager = {
  service: 'Secrets Manager',
  cases: [
    answers('the present value', GetSecretValueCommand, {}, text, 'first', { keep: ({ VersionId }) => ({ first: VersionId }) }),
    refuses('a secret that does not exist', GetSecretValueCommand, { SecretId: 'conformance-none' }, 'ResourceNotFoundException'),
    refuses('a secret without a value', GetSecretValueCommand, ({ emptySecret }) => ({ SecretId: emptySecret }), 'ResourceNotFoundException'),
    refuses('a stage that no version has', GetSecretValueCommand, { VersionStage: 'NONE' }, 'ResourceNotFoundException'),
    refuses('a version that does not exist', GetSecretValueCommand, { VersionId: TOKEN }, 'ResourceNotFoundException'),
    answers('a new value', PutSecretValueCommand, { SecretString: 'second', ClientRequestToken: TOKEN }, ({ VersionId, VersionStages }) => [VersionId, VersionStages], [TOKEN, ['AWSCURRENT']]),
    answers('the new value', GetSecretValueCommand, {}, text, 'second', { eventually: true }),
    answers('the value before it', GetSecretValueCommand, { VersionStage: 'AWSPREVIOUS' }, text, 'first', { eventually: true }),
    answers('a version', GetSecretValueCommand, ({ first }) => ({ VersionId: first }), text, 'first'),
    answers('the same value with the same token', PutSecretValueCommand, { SecretString: 'second', ClientRequestToken: TOKEN }, ({ VersionId }) => VersionId, TOKEN),
    answers('the stages of the versions', DescribeSecretCommand, {}, ({ VersionIdsToStages = {} }) => VersionIdsToStages[TOKEN], ['AWSCURRENT']),
    refuses('another value with the same token', PutSecretValueCommand, { SecretString: 'third', ClientRequestToken: TOKEN }, 'ResourceExistsException'),
    refuses('a token of 31 characters', PutSecretValueCommand, { SecretString: 'third', ClientRequestToken: TOKEN.slice(5) }, 'InvalidParameterException'),
    refuses('a text and bytes', PutSecretValueCommand, { SecretString: 'third', SecretBinary: Buffer.from('third') }, 'InvalidParameterException', unchecked),
    refuses('no value', PutSecretValueCommand, {}, 'InvalidRequestException'),
    refuses('more than 64 KiB', PutSecretValueCommand, { SecretString: 'x'.repeat(65_537) }, 'ValidationException', unchecked),
    refuses('a secret that does not exist', PutSecretValueCommand, ({ bus }) => ({ SecretId: `${bus}-none`, SecretString: 'x' }), 'ResourceNotFoundException'),
    answers(
      'bytes',
      PutSecretValueCommand,
      ({ emptySecret }) => ({ SecretId: emptySecret, SecretBinary: Buffer.from('bytes') }),
      ({ VersionStages }) => VersionStages,
      ['AWSCURRENT'],
    ),
    answers(
      'bytes',
      GetSecretValueCommand,
      ({ emptySecret }) => ({ SecretId: emptySecret }),
      ({ SecretBinary, SecretString }) => [Buffer.from(SecretBinary ?? '').toString(), SecretString],
      ['bytes', undefined],
      { eventually: true },
    ),
    refuses('a secret that does not exist', DescribeSecretCommand, { SecretId: 'conformance-none' }, 'ResourceNotFoundException'),
    refuses('a request that is signed for another service', GetSecretValueCommand, {}, 'InvalidSignatureException', misdirected),
  ],
};
