import * as z from 'zod/mini';
import { type PackageDefaults, packageSchema } from '../../core/package/package-schema.ts';

/** A stage that allows everything that a stage can allow. */
const WIDEST: PackageDefaults = { choose: 'manual', hasRule: true, signing: 'external', hasKey: true };

/** The JSON Schema of `order.json`, for editors. */
export function orderSchema(): object {
  return { title: 'order.json of a business-loan order package', ...z.toJSONSchema(packageSchema(WIDEST)) };
}
