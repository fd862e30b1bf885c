import { randomBytes, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { RecordTable } from '../../core/aws/record-table.ts';
import { simulatorStackName } from '../../infra/names.ts';
import { CLIENT, type SimulatorClient } from '../../infra/rehearsal/simulator/settings.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { clientSettings, type PlaceOptions } from '../shared/place.ts';
import { stackOutputs } from '../shared/stack-outputs.ts';
import type { Rehearsal } from './rehearsal.ts';

export async function simulatorTable(place: PlaceOptions): Promise<RecordTable> {
  const outputs = await stackOutputs(place, simulatorStackName);
  return new RecordTable(new DynamoDBClient(clientSettings(place)), outputs('SimulatorTable'), 'kind');
}

/** Makes credentials, gives them to the simulator, and puts them into the secret, as a partner does with a bank's credentials. */
export async function credentials({ place, say }: Rehearsal): Promise<Finding[]> {
  say('Putting credentials into the secret …');
  const client: SimulatorClient = {
    clientId: `rehearsal-${randomUUID()}`,
    clientSecret: randomBytes(24).toString('base64url'),
  };
  const SecretString = JSON.stringify({ client_id: client.clientId, client_secret: client.clientSecret });
  const secretId = (await stackOutputs(place))('CredentialsSecret');
  await (await simulatorTable(place)).putItem({ ...CLIENT, ...client });
  const secrets = new SecretsManagerClient(clientSettings(place));
  await secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
  const url = (await stackOutputs(place, simulatorStackName))('SimulatorUrl');
  const [right, wrong] = [await askForToken(url, client), await askForToken(url, { ...client, clientSecret: 'wrong' })];
  const gives = `The order service gives a token for the credentials in the secret: it answered ${right}.`;
  const refuses = `The order service refuses wrong credentials: it answered ${wrong}.`;
  return [finding('credentials', right === 200, gives), finding('credentials', wrong === 401, refuses)];
}

async function askForToken(url: string, { clientId, clientSecret }: SimulatorClient) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const signal = AbortSignal.timeout(30_000);
  const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form), signal });
  await answer.body?.cancel();
  return answer.status;
}
