import type { Stage } from '../../infra/stages.ts';
import { TOPIC } from './alarms.ts';
import { CERTIFICATE_ARN, KEY_ARN, ofPartner } from './stack-rules.ts';

export const CRM = 'arn:aws:iam::444455556666:role/crm';
export const BANK = 'arn:aws:iam::777788889999:root';
export const [SIGNING_KEY = '', EVIDENCE_KEY = ''] = ['1', '2'].map(
  (id) => `arn:aws:kms:eu-central-1:111122223333:key/${id}234abcd`,
);

// A stack takes a third of a second. So tests of many settings share these, whose settings do not touch each other.

/** A stage whose stack creates all that a stack can create. */
export const creating = ({ orderService, signing, tracing, alarms, ...stage }: Stage): Stage => ({
  ...stage,
  encryption: 'stack-key',
  network: { vpc: ofPartner.vpc, subnets: ofPartner.subnets },
  orderService: {
    ...orderService,
    baseUrl: 'https://orders.bank.ru:8443',
    authorizationUrl: 'https://login.bank.ru',
    clientCertificate: true,
    caBundle: 'its text',
  },
  orderSchema: '{"type":"object"}',
  signing: {
    ...signing,
    mode: 'kms',
    key: { create: 'ECC_NIST_P384' },
    evidenceKey: { create: 'RSA_3072' },
    caBundle: 'its text',
    timeStampAuthorities: 'its text',
    crl: 'its text',
  },
  tracing: { ...tracing, xray: true },
  uploads: { packages: [CRM], signatures: [CRM, BANK], decisions: [] },
  events: { archiveDays: 30 },
  alarms: { ...alarms, notify: 'ops@partner.ru' },
});

/** A stage that is given keys, a certificate, a network and a topic, and keeps all data. */
export const given = ({ orderService, signing, alarms, retention, ...stage }: Stage): Stage => ({
  ...stage,
  encryption: KEY_ARN,
  network: ofPartner,
  orderService: { ...orderService, clientCertificate: CERTIFICATE_ARN },
  signing: { ...signing, key: SIGNING_KEY, evidenceKey: EVIDENCE_KEY },
  alarms: { ...alarms, notify: TOPIC },
  retention: { ...retention, legalHold: true },
});

/** A stage without any key of KMS, although principals of other accounts upload. */
export const keyless = ({ alarms, uploads, ...stage }: Stage): Stage => ({
  ...stage,
  uploads: { ...uploads, packages: [CRM] },
  alarms: { ...alarms, notify: TOPIC },
});

export const adopting = (stage: Stage): Stage => ({
  ...stage,
  account: '111122223333',
  region: 'eu-central-1',
  existing: { table: 'orders-restored' },
  buckets: { intake: 'ours-in', staging: 'ours-out' },
});
