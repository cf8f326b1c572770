import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

/** A schema that implements Standard Schema, as every zod schema does. */
export interface Schema<Input, Output = Input> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Returns a react-hook-form resolver for a schema. Each field shows its first error. */
export function resolverFor<Values extends FieldValues, Output>(
  schema: Schema<Values, Output>,
): Resolver<Values, unknown, Output> {
  return async (values) => {
    const verdict = await schema['~standard'].validate(values)
    if (!verdict.issues) return { values: verdict.value, errors: {} }
    const errors: Record<string, { type: string; message: string }> = {}
    for (const issue of verdict.issues) errors[placeOf(issue)] ??= { type: 'schema', message: issue.message }
    return { values: {}, errors: errors as FieldErrors<Values> }
  }
}

/** Forms are flat: an error belongs to the first element of its path, or to the form as a whole. */
function placeOf(issue: Issue) {
  const step = issue.path?.[0]
  if (step === undefined) return 'root'
  return String(typeof step === 'object' ? step.key : step)
}
