import { z } from 'zod';

function id(prefix: string, what: string) {
  const error = `must be the id of a ${what}, such as ${prefix}-0a1b2c3d`;
  return z.string().regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), { error });
}

/** The partner's network, in which the functions run. Ids only: a look-up would need credentials at every synth. */
export const networkSchema = z.strictObject({
  vpc: id('vpc', 'VPC'),
  /** Private subnets with a route to the order service, such as a NAT gateway. Two in different zones are better than one. */
  subnets: z.array(id('subnet', 'subnet')).min(1).max(16),
  /** Default: one that the stack creates, which accepts no connections and opens only those to TLS. */
  securityGroups: z.array(id('sg', 'security group')).min(1).max(5).optional(),
});
