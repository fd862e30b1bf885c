import { Graph, layout } from '@dagrejs/dagre';
import type { Way } from '../../api.ts';

type Step = Way['steps'][number];

interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  name: string;
  visits: number;
  width: number;
}

/** A step, the place of its count, and the points that its line passes. */
export interface Arrow extends Point, Step {
  points: Point[];
  isBack: boolean;
}

export interface Drawing {
  width: number;
  height: number;
  boxes: Box[];
  arrows: Arrow[];
}

export const BOX_HEIGHT = 28;
const CHARACTER = 6.7;
const PADDING = 22;

/** Places the states. Steps to a failure are drawn only if they were taken, because every state has one. */
export function draw({ start, states, steps }: Way): Drawing {
  const shown = steps.filter(({ isFailure, count }) => !isFailure || count > 0);
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: 30, edgesep: 10, marginx: 8, marginy: 8 });
  const joined = new Set(shown.flatMap(({ from, to }) => [from, to]));
  for (const state of states.filter(({ name }) => joined.has(name))) {
    graph.setNode(state.name, { ...state, width: state.name.length * CHARACTER + PADDING, height: BOX_HEIGHT });
  }
  const back = backward(start, shown);
  for (const step of shown) {
    const isBack = back.has(step);
    const [first, second] = isBack ? [step.to, step.from] : [step.from, step.to];
    graph.setEdge(first, second, { ...step, isBack, width: 18, height: 12, labelpos: 'c' }, `${isBack}`);
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const boxes: Box[] = graph.nodes().map((name) => graph.node(name));
  const arrows: Arrow[] = graph.edges().map((edge) => graph.edge(edge));
  return { width, height, boxes, arrows };
}

/** The steps that lead back to an earlier state. The layout reverses them, so that the start is at the top. */
function backward(start: string, steps: Step[]): Set<Step> {
  const back = new Set<Step>();
  const [onTheWay, done] = [new Set<string>(), new Set<string>()];
  const visit = (state: string) => {
    onTheWay.add(state);
    for (const step of steps.filter(({ from }) => from === state)) {
      if (onTheWay.has(step.to)) back.add(step);
      else if (!done.has(step.to)) visit(step.to);
    }
    onTheWay.delete(state);
    done.add(state);
  };
  visit(start);
  return back;
}

/** A curve along an arrow, through the middles of the lines between its points. */
export function curve({ points, isBack }: Arrow): string {
  const [first, ...others] = isBack ? points.toReversed() : points;
  if (!first) return '';
  const parts = [`M${first.x},${first.y}`];
  for (const [position, point] of others.entries()) {
    const next = others[position + 1];
    if (next) parts.push(`Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}`);
    else parts.push(`L${point.x},${point.y}`);
  }
  return parts.join('');
}
