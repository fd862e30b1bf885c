import { Graph, layout } from '@dagrejs/dagre';
import type { Way, Workflow } from '../../api.ts';

export interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
}

interface Point {
  x: number;
  y: number;
}

export interface Arrow {
  from: string;
  to: string;
  path: string;
  /** How often it was taken. */
  count: number;
  /** Where its count stands. */
  label: { x: number; y: number };
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

/** Places the states. Ways that lead to a failure are drawn only if they were taken: every state has one. */
export function draw({ start, states, steps }: Workflow, way: Way | undefined): Drawing {
  const counts = new Map((way?.steps ?? []).map(({ from, to, count }) => [`${from} ${to}`, count]));
  const countOf = (from: string, to: string) => counts.get(`${from} ${to}`) ?? 0;
  const shown = steps.filter(({ from, to, isFailure }) => !isFailure || countOf(from, to) > 0);
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: 30, edgesep: 10, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const joined = new Set(shown.flatMap(({ from, to }) => [from, to]));
  for (const { name } of states) {
    if (joined.has(name)) graph.setNode(name, { width: name.length * CHARACTER + PADDING, height: BOX_HEIGHT });
  }
  const back = backward(start, shown);
  for (const { from, to } of shown) {
    const [first, second] = back.has(`${from} > ${to}`) ? [to, from] : [from, to];
    graph.setEdge(first, second, { width: 18, height: 12, labelpos: 'c' }, `${from} > ${to}`);
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const boxes = graph.nodes().map((name) => {
    const node = graph.node(name) as { x: number; y: number; width: number };
    return { name, x: node.x, y: node.y, width: node.width };
  });
  const arrows = graph.edges().map((edge) => {
    const [from = '', to = ''] = (edge.name ?? '').split(' > ');
    const { points, x, y } = graph.edge(edge) as unknown as { points: Point[]; x: number; y: number };
    return {
      from,
      to,
      path: smooth(edge.v === from ? points : points.toReversed()),
      count: countOf(from, to),
      label: { x, y },
    };
  });
  return { width, height, boxes, arrows };
}

/** The steps that lead back to a state on the way to them. They are placed the other way round, so that the start is at the top. */
function backward(start: string, steps: { from: string; to: string }[]): Set<string> {
  const back = new Set<string>();
  const [onTheWay, done] = [new Set<string>(), new Set<string>()];
  const visit = (state: string) => {
    onTheWay.add(state);
    for (const { to } of steps.filter(({ from }) => from === state)) {
      if (onTheWay.has(to)) back.add(`${state} > ${to}`);
      else if (!done.has(to)) visit(to);
    }
    onTheWay.delete(state);
    done.add(state);
  };
  visit(start);
  return back;
}

/** A curve through the middles of the lines between the points. */
function smooth(points: Point[]): string {
  const [first, ...others] = points;
  if (!first) return '';
  const parts = [`M${first.x},${first.y}`];
  for (const [position, point] of others.entries()) {
    const next = others[position + 1];
    if (next) parts.push(`Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}`);
    else parts.push(`L${point.x},${point.y}`);
  }
  return parts.join('');
}
