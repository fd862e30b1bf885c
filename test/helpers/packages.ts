import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { PackageDefaults } from '../../core/package/package-schema.ts';

export const secretWords = { company: 'Confidential Trade LLC', inn: '7707083893', phone: '+7 495 000-00-00' };

export const FIRST_TWO_AVAILABLE =
  "(offers[status='AVAILABLE'])[[0..1]].{ 'offerId': offerId, 'code': creditOptions[0].code }";

export const PACKAGE_DEFAULTS: PackageDefaults = {
  choose: 'manual',
  hasRule: false,
  signing: 'external',
  hasKey: false,
};

/** The labels of {@link orderPackage}. */
export const SECRET_LABELS = { company: secretWords.company, inn: secretWords.inn, amount: 51_234_567 };

/** Variables of functions: packages have these labels. */
export function labelled(): { LABELS_FILE: string } {
  const file = join(mkdtempSync(join(inject('temporaryDirectory'), 'labels-')), 'labels.json');
  const names = Object.keys(SECRET_LABELS).map((name) => [name, `/${name}`]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(names)));
  return { LABELS_FILE: file };
}

export interface PackageOptions {
  /** In place of a company and a sum that no stage names. */
  order?: object;
  scenario?: string;
  /** With which key the laptop's signer signs. */
  signer?: 'gost' | 'person';
  documents?: string[];
  offers?: Record<string, unknown>;
  signing?: 'external' | 'kms';
}

export function orderPackage(options: PackageOptions = {}) {
  const { scenario, signer, documents = ['charter.pdf'], offers, signing } = options;
  const { order = { ...secretWords, amount: 51_234_567 } } = options;
  return {
    order: { ...(scenario && { scenario }), ...(signer && { signer }), ...order },
    documents: documents.map((name) => ({
      file: `documents/${name}`,
      entityId: 'company-1',
      sourceEntityId: 'crm-1',
      docType: 'CHARTER',
    })),
    ...(signing && { signing }),
    offers: offers ?? { choose: 'rule', rule: FIRST_TWO_AVAILABLE },
  };
}

export function packageFolder(folder: string, orderJson: unknown): string {
  mkdirSync(join(folder, 'documents'), { recursive: true });
  writeFileSync(join(folder, 'documents', 'charter.pdf'), 'the charter');
  writeFileSync(join(folder, 'order.json'), JSON.stringify(orderJson));
  return folder;
}
