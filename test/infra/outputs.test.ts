import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { orderStack } from '../helpers/template.ts';

test('docs/deployment.md lists every output of a stack that has everything, and no other', () => {
  const stack = orderStack('prod', (stage) => ({
    ...stage,
    alarms: { ...stage.alarms, createTopic: true },
    orderService: { ...stage.orderService, clientCertificate: true },
    signing: { ...stage.signing, key: { create: 'ECC_NIST_P256' } },
  }));
  const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const table = page.split('## Outputs')[1]?.split('\n## ')[0] ?? '';
  const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, names = '']) => names.match(/(?<=`)\w+(?=`)/g) ?? [],
  );
  expect(listed.sort()).toEqual(Object.keys(Template.fromStack(stack).toJSON().Outputs).sort());
});
