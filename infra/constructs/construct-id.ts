/** `create-order` as `CreateOrder`: construct id, and `CreateOrderArn` in the state machine file. */
export function constructId(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
