import * as z from 'zod/mini';
import {
  MAX_DOCUMENTS,
  MAX_RULE_CHARACTERS,
  type PackageDefaults,
  packageSchema,
} from '../core/package/package-schema.ts';

/** A stage that allows whatever any stage may allow. */
const WIDEST: PackageDefaults = {
  choose: 'manual',
  hasRule: true,
  signing: 'external',
  hasKey: true,
  limits: { documents: MAX_DOCUMENTS, ruleCharacters: MAX_RULE_CHARACTERS },
};

/** The JSON Schema of `order.json`, for editors. */
export function orderSchema(): object {
  return { title: 'order.json of a business-loan order package', ...z.toJSONSchema(packageSchema(WIDEST)) };
}
