import { expect, test } from 'vitest';
import { rightsRules, statementsByFunction } from '../helpers/function-rights.ts';
import { sentCommands } from '../helpers/sent-commands.ts';
import { templateOf } from '../helpers/template.ts';

const rights = statementsByFunction(templateOf('local'), 'loan-orders-local-');
rightsRules(rights, sentCommands('functions'));

/** The resources for which a function may perform this action. */
const resourcesOf = (name: string, action: string) =>
  (rights.find((one) => one.name === name)?.statements ?? [])
    .filter(({ actions }) => actions.includes(action))
    .map(({ resource }) => resource)
    .join();

test.each(['await-signatures', 'sign-documents', 'upload-signature', 'receive-upload'])(
  '%s may read the current signatures in intake, but not chosen versions',
  (name) => {
    expect(resourcesOf(name, 's3:GetObject')).toContain('/signatures/*');
    expect(resourcesOf(name, 's3:GetObjectVersion')).not.toContain('/signatures/*');
  },
);

test('check-package may read packages and documents, but not signatures or decisions', () => {
  const read = resourcesOf('check-package', 's3:GetObject');
  expect(read).toContain('/orders/*/order.json');
  expect(read).toContain('/orders/*/documents/*');
  expect(read).not.toContain('/orders/*/*"');
  const versions = resourcesOf('check-package', 's3:GetObjectVersion');
  expect(versions).toContain('/orders/*/order.json"');
  expect(versions).not.toMatch(/documents|signatures|decision/);
});

test('sign-documents may not write the pages that answer a signer', () => {
  const written = resourcesOf('sign-documents', 's3:PutObject');
  expect(written).toContain('/signatures/*');
  expect(written).not.toMatch(/signatures-(rejected|unchecked)/);
});
