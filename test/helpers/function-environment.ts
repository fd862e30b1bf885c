/** The variables of functions that a test runs without a stack. */
export const FUNCTION_ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  INTAKE_BUCKET: 'intake',
  STAGING_BUCKET: 'staging',
  ORDER_TABLE: 'orders',
  ORDER_STATE_MACHINE: 'machine',
  OFFERS_CHOOSE: 'manual',
  SIGNING_MODE: 'external',
  SIGNING_HAS_KEY: 'false',
  SIGNATURE_GATE: 'check',
  LARGEST_SIGNATURE_BYTES: '100000',
  OUTAGE_PATIENCE_HOURS: '72',
  LIMIT_ORDER_JSON_BYTES: '100000',
  LIMIT_DOCUMENTS: '100',
  LIMIT_DOCUMENT_BYTES: '100000',
  LIMIT_PACKAGE_BYTES: '100000',
  LIMIT_RULE_CHARACTERS: '20000',
};
