import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/operation.ts';
import { checkDefinition } from '../../step-functions/state-machine.ts';

const LAMBDA = 'arn:aws:states:::lambda:invoke';

const machine = (States: JsonObject): JsonObject => ({ StartAt: Object.keys(States)[0] ?? '', States });
const task = (more: JsonObject = {}): JsonObject => ({ Type: 'Task', Resource: LAMBDA, End: true, ...more });
const map = (States: JsonObject, more: JsonObject = {}): JsonObject => ({
  Type: 'Map',
  ItemProcessor: machine(States),
  End: true,
  ...more,
});

describe('checkDefinition', () => {
  it.each<[string, JsonObject, string]>([
    [
      'an unknown integration',
      { Do: task({ Resource: 'arn:aws:states:::sns:publish' }) },
      '"Do" has the resource arn:aws:states:::sns:publish',
    ],
    [
      'a synchronous start',
      { Do: task({ Resource: 'arn:aws:states:::states:startExecution.sync:2' }) },
      'startExecution.sync:2',
    ],
    ['a token for nobody', { Do: task({ Resource: `${LAMBDA}.waitForTaskToken` }) }, 'does not pass on $$.Task.Token'],
    ['JSONata in a state', { Do: task({ QueryLanguage: 'JSONata' }) }, '"Do" uses QueryLanguage'],
    [
      'a test for false',
      { Pick: { Type: 'Choice', Choices: [{ Variable: '$.a', IsPresent: false, Next: 'A' }] } },
      'use Not',
    ],
    [
      'a Parallel',
      { Both: { Type: 'Parallel', Branches: [machine({ Do: task() })], End: true } },
      '"Both" uses Branches',
    ],
    ['the ResultPath $', { Do: task({ ResultPath: '$' }) }, 'remove it'],
    ['variables', { Do: task({ Assign: { a: 1 } }) }, '"Do" uses Assign'],
    ['the same name twice', { Do: task(), All: map({ Do: task() }) }, 'Two states have the name "Do"'],
    [
      'the item in its iteration',
      { All: map({ One: task({ Parameters: { 'x.$': '$$.Map.Item.Value' } }) }) },
      '"One" is inside a Map',
    ],
    ['the state in the context', { Do: task({ Parameters: { 'x.$': '$$.State.Name' } }) }, '"Do" uses $$.State'],
    [
      'a distributed Map',
      {
        All: {
          ...map({ One: task() }),
          ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED' }, ...machine({ One: task() }) },
        },
      },
      'distributed Map',
    ],
  ])('refuses %s', (_name, states, sentence) => {
    expect(() => checkDefinition('m', machine(states))).toThrow(sentence);
  });

  it('reports every problem at once', () => {
    const states = { A: task({ Assign: {} }), B: task({ Resource: 'arn:aws:states:::sns:publish' }) };
    expect(() => checkDefinition('m', machine(states))).toThrow(/"A" uses Assign[\s\S]*"B" has the resource/);
  });
});
