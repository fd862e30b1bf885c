/** The query of Logs Insights for all lines of an order. Step Functions writes the execution, which is called `<orderRef>-<generation>`. */
export const orderQuery = (
  orderRef: string,
) => `fields @timestamp, level, message, operation, outcome, requestId, details.name
| filter orderRef = "${orderRef}" or execution_arn like /:${orderRef.replaceAll('.', '\\.')}-[0-9]+$/
| sort @timestamp asc
| limit 10000`;
