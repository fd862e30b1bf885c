import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A part of a stage's order table. */
export abstract class OrderTable {
  protected readonly client: DynamoDBDocumentClient;
  protected readonly table: string;

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.client = client;
    this.table = table;
  }
}
