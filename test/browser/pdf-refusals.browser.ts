import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { lookAt } from '../helpers/browser.ts';
import { openPdfs } from '../helpers/pdf-order.ts';

const { world, open, view, complaints } = await openPdfs('refused');

const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.clientSettings));

test.each([
  ['broken.pdf', 'This file is broken, or is not a PDF, and cannot be shown.'],
  ['encrypted.pdf', 'This PDF is protected by a password and cannot be shown here.'],
  ['long.pdf', 'This PDF has 2,000 pages, and only up to 500 are shown here.'],
  ['no-page.pdf', 'This PDF is empty: there is nothing to show.'],
])('%s says why it is not shown, and can be downloaded', async (name, sentence) => {
  const page = await view(name);
  await page.getByRole('status').getByText(sentence).waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  const download = page.waitForEvent('download');
  await page.getByRole('listitem').filter({ hasText: name }).getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe(name);
  await lookAt(page, `pdf-${name}`);
});

test('an empty file says so, and what the server refuses is said in its words', async () => {
  const page = await open();
  const answers = [
    { status: 200, body: '' },
    { status: 409, json: { error: 'It is gone.' } },
  ];
  await page.route('**/documents/0?*', (route) => route.fulfill(answers.shift() ?? {}));
  const button = page.getByRole('listitem').filter({ hasText: 'plain.pdf' }).getByRole('button').first();
  await button.click();
  await page.getByText('This PDF is empty: there is nothing to show.').waitFor();
  await button.click();
  await button.click();
  await page.getByText('It is gone.').waitFor();
  complaints.splice(0);
});

test('a PDF whose end does not come is not shown, and says so', async () => {
  const page = await open();
  const items = (await world.items('refused')) as { item: string; name?: string; sha256?: string }[];
  const { item, sha256 = '' } =
    items.find(({ item, name }) => item.startsWith('to-sign#') && name === 'long.pdf') ?? {};
  const record = async (digest: string) =>
    dynamodb.send(
      new UpdateCommand({
        TableName: world.outputs.OrderTable,
        Key: { orderRef: 'refused', item },
        UpdateExpression: 'SET sha256 = :digest',
        ExpressionAttributeValues: { ':digest': digest },
      }),
    );
  await record('0'.repeat(64));
  const row = page.getByRole('listitem').filter({ hasText: 'long.pdf' });
  await row.getByTitle('0'.repeat(64)).waitFor();
  await row.getByRole('button').first().click();
  await page.getByText('This document broke off before its end, so it is not shown.').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await record(sha256);
  complaints.splice(0);
});

test('a PDF that is not shown says so in Russian too', async () => {
  const page = await view('long.pdf', { locale: 'ru-RU' });
  await page.getByText('В этом PDF 2 000 страниц, а здесь показывается не больше 500.').waitFor();
});

test('no page complained about a script, a style or a request', () => {
  expect(complaints).toEqual([]);
});
