/** Converts `create-order` to `CreateOrder`: the construct id. The state machine file refers to it as `CreateOrderArn`. */
export const constructId = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
