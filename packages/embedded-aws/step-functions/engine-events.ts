import { isJsonObject, type Json } from '../protocol/operation.ts';
import type { Engine } from './engine.ts';
import { type ExecutionHistory, jsonText, withInput, withOutput } from './history.ts';
import type { StateMachine } from './state-machine.ts';
import { taskEvent } from './task.ts';

/** The properties of an `aws-local-stepfunctions` event that are used here. */
export interface EngineEvent {
  type: string;
  index?: number;
  input?: Json;
  state?: { name: string; type: string; input: Json; output?: Json };
  parentState?: { name: string };
  Error?: string;
  Cause?: unknown;
}

export interface Translation extends Pick<StateMachine, 'states' | 'tasks' | 'roleArn'> {
  history: ExecutionHistory;
  query: Engine['query'];
  /** Map states that have failed. They get no `Succeeded` event when they are exited. */
  failed: Set<string>;
}

/** Converts an event of the engine to history events of Step Functions. TaskRunner adds the events of Tasks. */
export function translate(translation: Translation, event: EngineEvent): void {
  const { history, roleArn } = translation;
  if (event.type === 'ExecutionStarted') {
    const details = { ...withInput(jsonText(event.input)), roleArn };
    history.add('ExecutionStarted', { executionStartedEventDetails: details });
  } else if (event.type === 'StateEntered') entered(translation, event);
  else if (event.type === 'StateExited') exited(translation, event);
  else if (event.type === 'StateFailed') failed(translation, event);
  else if (event.type.startsWith('MapIteration')) {
    const details = `m${event.type.slice(1)}EventDetails`;
    history.add(event.type, { [details]: { name: event.parentState?.name, index: event.index } }, event.index);
  }
}

function entered({ history, states, query }: Translation, { state, index }: EngineEvent): void {
  if (!state) return;
  const details = { name: state.name, ...withInput(jsonText(state.input)) };
  history.add(`${state.type}StateEntered`, { stateEnteredEventDetails: details }, index);
  if (state.type !== 'Map') return;
  const { InputPath: inputPath, ItemsPath: itemsPath } = states.get(state.name) ?? {};
  const input = query(typeof inputPath === 'string' ? inputPath : '$', state.input) ?? null;
  const isOfInput = typeof itemsPath === 'string' && !itemsPath.startsWith('$$');
  const items = isOfInput ? query(itemsPath, input) : input;
  const length = Array.isArray(items) ? items.length : 0;
  history.add('MapStateStarted', { mapStateStartedEventDetails: { length } }, index);
}

function exited({ history, failed: failures }: Translation, { state, index }: EngineEvent): void {
  if (!state) return;
  if (state.type === 'Map' && !failures.delete(`${index} ${state.name}`)) history.add('MapStateSucceeded', {}, index);
  const details = { name: state.name, ...withOutput(jsonText(state.output)) };
  history.add(`${state.type}StateExited`, { stateExitedEventDetails: details }, index);
}

function failed({ history, tasks, failed: failures }: Translation, event: EngineEvent): void {
  const { state, index, Error: error = '', Cause } = event;
  if (!state) return;
  const cause = typeof Cause === 'string' ? Cause : isJsonObject(Cause) ? jsonText(Cause) : '';
  if (state.type === 'Map') {
    failures.add(`${index} ${state.name}`);
    history.add('MapStateFailed', {}, index);
    return;
  }
  const task = tasks.find(({ name }) => name === state.name);
  if (!task || error === 'States.Runtime') return;
  const outcome = error === 'States.Timeout' ? 'TimedOut' : 'Failed';
  history.add(...taskEvent(outcome, task, { error, ...(cause && { cause }) }), index);
}
