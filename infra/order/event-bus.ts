import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { CfnArchive, EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { EVENT_SOURCE } from '../../core/events/event-source.ts';
import { stackSettings, variableOf } from '../../core/settings.ts';
import type { BundledFunction } from '../constructs/bundled-function.ts';
import { allowPutEvents } from '../constructs/rights.ts';
import type { Stage } from '../stages.ts';

/** The name of the bus on which others learn of the orders of a stage. */
export const eventBusName = ({ name }: Stage): string => `loan-orders-${name}`;

/** The bus on which others learn of the orders, and its archive if the stage has one. */
export class OrderEventBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const { archiveDays } = stage.events;
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: eventBusName(stage),
      description: 'What happens to the orders, for others: docs/events.md',
    });
    if (archiveDays === undefined) return;
    new CfnArchive(this, 'Archive', {
      archiveName: eventBusName(stage),
      description: 'The events of the orders, to be replayed',
      sourceArn: this.bus.eventBusArn,
      retentionDays: Duration.days(archiveDays).toDays(),
    });
  }
}

/** Lets the function put events of orders on the bus, and puts the bus into its environment. */
export function allowEvents(target: BundledFunction, stage: Stage): void {
  // By name: the functions need no bus to be created, and the bus outlives none of them.
  const bus = Stack.of(target).formatArn({
    service: 'events',
    resource: 'event-bus',
    resourceName: eventBusName(stage),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  target.addEnvironment(variableOf(stackSettings, 'eventBus'), eventBusName(stage));
  allowPutEvents(target, bus, EVENT_SOURCE);
}
