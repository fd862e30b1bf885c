import { z } from 'zod';

function id(prefix: string, what: string) {
  const error = `must be the id of a ${what}, such as ${prefix}-0a1b2c3d`;
  return z.string().regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), { error });
}

/** Ids only: a look-up would need credentials at every synth. */
export const networkSchema = z
  .strictObject({
    vpc: id('vpc', 'VPC').describe('The id of your VPC.'),
    subnets: z
      .array(id('subnet', 'subnet'))
      .min(1)
      .max(16)
      .describe(
        'Ids of private subnets with a route to the order service, such as a NAT gateway. Use two in different zones.',
      ),
    securityGroups: z
      .array(id('sg', 'security group'))
      .min(1)
      .max(5)
      .optional()
      .describe(
        "Ids of the functions' security groups. Default: one that the stack creates, which accepts no connections, and opens only those to port 443 and to the ports of the services.",
      ),
  })
  .describe(
    'The network in which functions run. Without it, they run in a network of Lambda, and their addresses change.',
  );
