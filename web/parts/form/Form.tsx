import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  type DefaultValues,
  type FieldValues,
  FormProvider,
  type Path,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import { differing } from '../differing.ts'
import { Working } from '../Spinner.tsx'
import { resolverFor, type Schema } from './schema.ts'
import { useFormFocus } from './useFormFocus.ts'
import { onEdit } from './useTypedValues.ts'

/** A failed submit: a message, and the errors of single fields. */
export interface SubmitError {
  message: string
  fields?: Readonly<Record<string, string>> | undefined
}

/** How a submit goes, as `useSubmit` tells it. */
export interface Sending {
  /** True while the call runs: everything is disabled, and a second submit does nothing. */
  loading: boolean
  submitError: SubmitError | null
  reset?: () => void
}

export interface FormProps<Values extends FieldValues, Output> {
  /** The heading; leave it out where a card or dialog has one. */
  title?: string | undefined
  /** Validates the values before they are submitted. */
  schema: Schema<Values, Output>
  /** The initial values. Another object replaces them, but for what the person has changed. */
  values: DefaultValues<Values>
  /** Each change of this number resets the whole form, such as a count of its successful submits. */
  resetKey?: number | undefined
  /** Focuses the first field, or the named one, as soon as it is enabled. */
  autoFocus?: boolean | string | undefined
  /** Receives the values as the schema returns them. */
  onSubmit: (output: Output, form: UseFormReturn<Values, unknown, Output>) => void
  /** The label of the button, if necessary made from the values: 'Renew 3 clients for 6 credits'. */
  label: string | ((values: Values) => string)
  sending: Sending
  /** Disables the button until all fields are valid. */
  onlyWhenValid?: boolean | undefined
  /**
   * Disables the button although the fields are valid, such as until a price has loaded; if necessary by the values.
   */
  blocked?: boolean | ((values: Values) => boolean) | undefined
  disabled?: boolean | undefined
  /** Content to the left of the button, such as 'Cancel'. */
  aside?: ReactNode
  children: ReactNode
}

/** A form with its fields in a column, a reserved line for the server's refusal, and a button that names its action. */
export function Form<Values extends FieldValues, Output>(props: FormProps<Values, Output>) {
  const { title, schema, values, disabled = false, children } = props
  const { loading, submitError } = props.sending
  const form = useForm<Values, unknown, Output>({
    resolver: resolverFor(schema),
    defaultValues: values,
    mode: 'onTouched',
  })
  const fields = useRef<HTMLFieldSetElement>(null)
  useNewValues(form, values, props.resetKey)
  const blocked = typeof props.blocked === 'function' ? props.blocked(form.watch()) : props.blocked === true
  const noteFocus = useFormFocus(fields, {
    loading,
    disabled,
    blocked,
    atFirst: props.autoFocus ?? false,
    onlyWhenValid: props.onlyWhenValid === true,
    resetKey: props.resetKey,
  })
  const reason = useRefusal(form, submitError)
  useJudgedTogether(form, schema)
  const { isTyped, noteTyped } = useUnsentText(values, props.resetKey)
  const { errors, isValid } = form.formState
  const submit = form.handleSubmit((output) => {
    if (loading || disabled || blocked) return
    noteFocus()
    props.onSubmit(output, form)
  })
  const label = typeof props.label === 'string' ? props.label : props.label(form.watch())
  return (
    <FormProvider {...form}>
      <Frame noValidate onSubmit={submit} onInput={noteTyped} aria-busy={loading} data-typed={isTyped}>
        <fieldset ref={fields} disabled={loading || disabled}>
          {title && <h2>{title}</h2>}
          {children}
        </fieldset>
        <Reason role="alert">{reason ?? errors.root?.message}</Reason>
        <Foot>
          {props.aside}
          <Button
            type="submit"
            variant="contained"
            disabled={loading || disabled || blocked || (props.onlyWhenValid === true && !isValid)}
          >
            <Working loading={loading}>{label}</Working>
          </Button>
        </Foot>
      </Frame>
    </FormProvider>
  )
}

/**
 * Tells whether fields have other text than they had at first. What is chosen from a list, or ticked, is chosen again
 * with one click, and does not count.
 */
function useUnsentText(values: FieldValues, resetKey: number | undefined) {
  const [typed, setTyped] = useState({ resetKey, names: NO_NAMES })
  const names = typed.resetKey === resetKey ? typed.names : NO_NAMES
  const noteTyped = ({ target }: React.InputEvent) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
    const { name, value, type } = target
    const isAsBefore = value === String(values[name] ?? '')
    if (NOT_TYPED.has(type) || names.has(name) === !isAsBefore) return
    const others = [...names].filter((one) => one !== name)
    setTyped({ resetKey, names: new Set(isAsBefore ? others : [...others, name]) })
  }
  return { isTyped: names.size > 0, noteTyped }
}

const NO_NAMES: ReadonlySet<string> = new Set()
const NOT_TYPED: ReadonlySet<string> = new Set(['checkbox', 'radio', 'file'])

/** Resets the form when its `resetKey` changes; when only its values do, what the person has changed stays. */
function useNewValues<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  values: DefaultValues<Values>,
  resetKey: number | undefined,
) {
  const { reset, getValues } = form
  const held = useRef({ values, resetKey })
  // Before the person can act on what is shown: an effect that runs later would undo the first thing they do.
  useLayoutEffect(() => {
    const before = held.current
    if (before.values === values && before.resetKey === resetKey) return
    held.current = { values, resetKey }
    if (before.resetKey !== resetKey) return reset(values)
    const changed = differing<FieldValues>(getValues(), before.values)
    reset({ ...values, ...changed }, { keepErrors: true, keepTouched: true })
  }, [values, resetKey, reset, getValues])
}

/**
 * Shows the server's errors at their fields and focuses the first one. Returns a message that belongs to no field.
 * Editing removes both, and so does whatever forgets the refusal, such as a button that loads again what it is about.
 */
function useRefusal<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  refusal: SubmitError | null,
): string | undefined {
  const { setError, clearErrors, getFieldState, getValues, subscribe } = form
  const [edited, setEdited] = useState<SubmitError | null>(null)
  useEffect(() => {
    const fields = Object.entries(refusal?.fields ?? {}) as [Path<Values>, string][]
    fields.forEach(([name, message], at) => {
      setError(name, { type: 'server', message }, { shouldFocus: at === 0 })
    })
    return () => {
      for (const [name] of fields) if (getFieldState(name).error?.type === 'server') clearErrors(name)
    }
  }, [refusal, setError, clearErrors, getFieldState])
  useEffect(() => onEdit(subscribe, () => setEdited(refusal)), [refusal, subscribe])
  const isAtFields = Object.keys(refusal?.fields ?? {}).some((name) => name in getValues())
  return refusal === null || refusal === edited || isAtFields ? undefined : refusal.message
}

/**
 * Judges the touched fields again when one of them is edited or the schema changes, because a field may be right or
 * wrong by another one, such as a password by its repetition. A refusal of the server stays until its field is edited.
 */
function useJudgedTogether<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  schema: Schema<Values, Output>,
) {
  const { trigger, subscribe, getValues, getFieldState } = form
  const judged = useRef(schema)
  useEffect(() => {
    const judge = () => {
      const names = Object.keys(getValues()) as Path<Values>[]
      const touched = names.filter((name) => {
        const { isTouched, error } = getFieldState(name)
        return error ? error.type !== 'server' : isTouched
      })
      trigger(touched)
    }
    if (judged.current !== schema) judge()
    judged.current = schema
    return onEdit(subscribe, judge)
  }, [schema, trigger, subscribe, getValues, getFieldState])
}

const Frame = styled('form')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 4,
  maxWidth: 560,
  '& fieldset': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr)',
    gap: 12,
    minWidth: 0,
    margin: 0,
    padding: 0,
    border: 0,
  },
  '& h2': { marginBottom: 12 },
})

/** The line is always reserved, so that an error moves nothing. */
const Reason = styled('p')(({ theme }) => ({
  minHeight: 20,
  color: theme.palette.tones.bad.text,
  overflowWrap: 'anywhere',
}))

const Foot = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'flex-end',
  gap: 8,
  marginTop: 4,
  [theme.breakpoints.down('sm')]: { '& button': { flex: '1 1 auto' } },
}))
