import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/operation.ts';
import { checkDefinition, prepareDefinition } from '../../step-functions/state-machine.ts';

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
  it('accepts what the engine runs as AWS does', () => {
    const states = { Do: task(), All: map({ One: task() }, { ItemSelector: { 'value.$': '$$.Map.Item.Value' } }) };
    expect(() => checkDefinition('m', machine(states))).not.toThrow();
  });

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

describe('prepareDefinition', () => {
  const stateOf = (definition: JsonObject, name: string) => (definition.States as JsonObject)[name];

  it('gives a Task without a timeout the longest one, also inside a Map', () => {
    const prepared = prepareDefinition(
      machine({ Do: task(), Timed: task({ TimeoutSeconds: 5 }), All: map({ One: task() }) }),
    );
    expect(stateOf(prepared, 'Do')).toHaveProperty('TimeoutSeconds', 99_999_999);
    expect(stateOf(prepared, 'Timed')).toHaveProperty('TimeoutSeconds', 5);
    expect(stateOf(prepared, 'All')).toHaveProperty('ItemProcessor.States.One.TimeoutSeconds', 99_999_999);
  });

  it('removes a ResultPath of $', () => {
    const Catch = [{ ErrorEquals: ['States.ALL'], ResultPath: '$', Next: 'Do' }];
    const prepared = prepareDefinition(machine({ Do: task({ ResultPath: '$', Catch }) }));
    expect(stateOf(prepared, 'Do')).not.toHaveProperty('ResultPath');
    expect(stateOf(prepared, 'Do')).not.toHaveProperty('Catch.0.ResultPath');
  });

  it('turns negative type tests into the negation of positive ones', () => {
    const Choices = [
      { Variable: '$.a', IsPresent: false, Next: 'A' },
      {
        And: [
          { Variable: '$.b', IsNull: false },
          { Variable: '$.c', IsPresent: true },
        ],
        Next: 'B',
      },
    ];
    const prepared = prepareDefinition(machine({ Pick: { Type: 'Choice', Choices } }));
    expect(stateOf(prepared, 'Pick')).toHaveProperty('Choices', [
      { Not: { Variable: '$.a', IsPresent: true }, Next: 'A' },
      { And: [{ Not: { Variable: '$.b', IsNull: true } }, { Variable: '$.c', IsPresent: true }], Next: 'B' },
    ]);
  });
});
