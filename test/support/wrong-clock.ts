// Sets the clock of a process ahead, as that of a machine may be: by WRONG_CLOCK_MS from the start, or by a day at a
// SIGUSR2.

let ahead = Number(process.env.WRONG_CLOCK_MS ?? 0)
process.on('SIGUSR2', () => {
  ahead += 86_400_000
})

const Right = Date
globalThis.Date = new Proxy(Right, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [Right.now() + ahead] : given, made),
  get: (target, key) => (key === 'now' ? () => Right.now() + ahead : Reflect.get(target, key)),
})
