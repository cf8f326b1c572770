import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

/** Whatever can judge a form's values by the Standard Schema: a zod schema, as it is. */
export interface Schema<Input, Output = Input> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Verdict<Output> | Promise<Verdict<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type Verdict<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The resolver by which react-hook-form asks a schema; the first complaint about a field is the one shown. */
export function judgedBy<Values extends FieldValues, Output>(
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

/** Forms are flat: an issue belongs to the first step of its path, or to the form as a whole. */
function placeOf(issue: Issue) {
  const step = issue.path?.[0]
  if (step === undefined) return 'root'
  return String(typeof step === 'object' ? step.key : step)
}
