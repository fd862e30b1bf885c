import { z } from 'zod';
import { ASSUMED_NAMES, type ServiceNames } from '../core/order-service/service-names.ts';
import { connectionSettings } from './connection-settings.ts';

export const address = z
  .url({ protocol: /^https?$/ })
  .describe('an address that starts with https:// (or http:// on the laptop)');

/** Specification, section 3. */
const STATUSES = [
  'IN_WORK',
  'VALIDATION_FAILED',
  'WAITING_FOR_DOCUMENTS',
  'WAITING_FOR_SIGNATURE',
  'OFFERS_AVAILABLE',
  'OFFERS_APPROVED',
  'CLOSED',
] as const;

const name = z.string().min(1).max(100);
const namesSchema: Record<keyof ServiceNames, typeof name> = {
  orderId: name,
  signatureId: name,
  offerStatus: name,
  confirmOfferId: name,
  confirmCode: name,
};

/** The order service of this stage (specification, 4.1 and 5.4). */
export const orderServiceSchema = z.strictObject({
  /** `{base_url}` of the order API, without `/v1`. */
  baseUrl: address,
  /** `{auth_url}` of the stage's own authorization service. */
  authorizationUrl: address,
  ...connectionSettings,
  /** Path of the token endpoint below `authorizationUrl`. */
  tokenPath: z.enum(['/oauth2/token', '/token']),
  /** How the client authenticates at the token endpoint: in the form, or by HTTP Basic (RFC 6749, 2.3.1). */
  clientAuthentication: z.enum(['body', 'basic']),
  /** Content type of the creation and confirm bodies (not shown). */
  contentType: z.string().min(1),
  /** The service's names for fields whose names are not shown (core/order-service/service-names.ts). */
  names: z.strictObject(namesSchema),
  /** Statuses beyond the seven, each with the status that it is treated as (not shown): `{ BANK_REVIEW: 'IN_WORK' }`. */
  otherStatuses: z.record(z.string().min(1).max(100), z.enum(STATUSES)),
  /** Body of an accept (not shown): none, or `{}`. */
  acceptBody: z.enum(['none', 'empty-object']),
  /** How a confirm sends an `offerId` or `code` that the service lists as a number (not shown). */
  confirmNumbers: z.enum(['as-numbers', 'as-texts']),
});

/** Values that the stages share. */
export const commonOrderService = {
  tokenPath: '/oauth2/token',
  clientAuthentication: 'body',
  contentType: 'application/json',
  names: ASSUMED_NAMES,
  otherStatuses: {},
  acceptBody: 'none',
  confirmNumbers: 'as-texts',
} as const;
