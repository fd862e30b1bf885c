import { ServiceError } from '@business-loan-orders/order-simulator';

const statuses = ['issued', 'inProgress'];
const loanFields = ['loanAmount', 'loanTerm', 'loanTermInDays'] as const;

/**
 * The checks of `POST /request/{requestId}/status`. Those of the loan fields are assumed (specification, 4.3: not shown): a field
 * must be a positive number, and `issued` needs an amount and at least one term.
 * @throws ServiceError 400.
 */
export function checkStatus(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError(400, 'malformed_json', 'The body must be a JSON object.');
  }
  const change = body as Record<string, unknown>;
  if (!statuses.includes(change.newStatus as string)) {
    throw new ServiceError(400, 'unknown_status', `The field newStatus must be one of ${statuses.join(', ')}.`);
  }
  for (const name of loanFields) {
    const value = change[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new ServiceError(400, 'malformed_loan', `The field ${name} must be a positive number.`);
  }
  const complete = 'loanAmount' in change && ('loanTerm' in change || 'loanTermInDays' in change);
  if (change.newStatus === 'issued' && !complete) {
    throw new ServiceError(400, 'loan_missing', 'The status issued needs loanAmount, and loanTerm or loanTermInDays.');
  }
  return change;
}
