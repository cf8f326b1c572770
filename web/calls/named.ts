/** Whom the input of a call names: an account, a client by its login, or several clients. */
interface Named {
  name?: string
  login?: string
  clients?: readonly string[]
}

/** Returns whom an input names. All calls that name somebody do it in these fields. */
export function namedIn(input: object): Named {
  return input
}
