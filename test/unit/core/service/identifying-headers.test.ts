import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { identifyingHeaders } from '../../../../core/service/identifying-headers.ts';

const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e';
const headers = () => identifyingHeaders('abc')({ requestId: REQUEST });

beforeEach(() => void vi.stubEnv('_X_AMZN_TRACE_ID', undefined));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const root = 'Root=1-5759e988-bd862e3fe1be46a994272793';

test.each([
  [`${root};Parent=557abcec3ee5a047;Sampled=1`, /^00-5759e988bd862e3fe1be46a994272793-557abcec3ee5a047-01$/],
  [`${root};Parent=557abcec3ee5a047;Sampled=0;Lineage=a:1`, /-557abcec3ee5a047-00$/],
  [root, /^00-5759e988bd862e3fe1be46a994272793-[0-9a-f]{16}-00$/],
  ['Root=1-5759e988-bd86;Parent=no', /^00-0f8fad5bd9cb469fa16570867728950e-[0-9a-f]{16}-00$/],
  [undefined, /^00-0f8fad5bd9cb469fa16570867728950e-[0-9a-f]{16}-00$/],
])('traceparent in the trace %j is %s', (trace, expected) => {
  vi.stubEnv('_X_AMZN_TRACE_ID', trace);
  expect(headers().traceparent).toMatch(expected);
});

test("the trace of Lambda's invoke store comes before that of the environment", () => {
  vi.stubEnv('_X_AMZN_TRACE_ID', `${root};Parent=557abcec3ee5a047;Sampled=1`);
  const getXRayTraceId = () => 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';
  vi.stubGlobal('awslambda', { InvokeStore: { getXRayTraceId } });
  expect(headers().traceparent).toBe('00-67891233abcdef012345678912345678-463ac35c9f6413ad-01');
});
