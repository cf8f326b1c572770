import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import {
  type DefaultValues,
  type FieldValues,
  FormProvider,
  type Path,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import { Working } from '../Spinner.tsx'
import { judgedBy, type Schema } from './schema.ts'

/** Why a form came back: a sentence, and what is said of single fields. */
export interface SubmitError {
  message: string
  fields?: Readonly<Record<string, string>> | undefined
}

interface FormProps<Values extends FieldValues, Output> {
  /** The heading of a form that is not headed by its card or dialog. */
  title?: string | undefined
  /** Judges the values before they are sent. */
  schema: Schema<Values, Output>
  /** The values at first, and again whenever `values` becomes another object. */
  values: DefaultValues<Values>
  /** How often it has been sent with success, where it stays for the next time: each time it starts anew. */
  anew?: number | undefined
  /** Its first field, or the one named, has the focus as soon as something can be typed. */
  autoFocus?: boolean | string | undefined
  /** Receives the values as the schema gives them back; `form` resets or sets them afterwards. */
  onSubmit: (output: Output, form: UseFormReturn<Values, unknown, Output>) => void
  /** What the button says, from the values if it must: 'Renew 3 clients for 6 credits'. */
  submit: string | ((values: Values) => string)
  /** The call runs: everything is disabled and a second submit does nothing. */
  loading: boolean
  /** What the server refused, or null. */
  submitError: SubmitError | null
  /** The button waits until all fields pass. */
  onlyWhenValid?: boolean | undefined
  /** The button waits though the fields pass: for a price, or for credits that are not there. */
  blocked?: boolean | undefined
  /** Nothing can be changed or sent. */
  disabled?: boolean | undefined
  /** The way out, left of the button: 'Cancel'. */
  aside?: ReactNode
  children: ReactNode
}

/** The one form: fields in a column, the reason of a refusal in its place, the button that says what will happen. */
export function Form<Values extends FieldValues, Output>(props: FormProps<Values, Output>) {
  const { title, schema, values, loading, submitError, disabled = false, children } = props
  const form = useForm<Values, unknown, Output>({
    resolver: judgedBy(schema),
    defaultValues: values,
    mode: 'onTouched',
  })
  const fields = useRef<HTMLFieldSetElement>(null)
  useNewValues(form, values, props.anew)
  useFocus(fields, { loading, disabled, atFirst: props.autoFocus ?? false, anew: props.anew })
  const reason = useRefusal(form, submitError)
  const { errors, isValid } = form.formState
  const submit = form.handleSubmit((output) => {
    if (!loading && !disabled && !props.blocked) props.onSubmit(output, form)
  })
  const shown = typeof props.submit === 'string' ? props.submit : props.submit(form.watch())
  return (
    <FormProvider {...form}>
      <Shell noValidate onSubmit={submit} aria-busy={loading}>
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
            disabled={
              loading || disabled || props.blocked === true || (props.onlyWhenValid === true && !isValid)
            }
          >
            <Working loading={loading}>{shown}</Working>
          </Button>
        </Foot>
      </Shell>
    </FormProvider>
  )
}

/** Starts again from other values, as when another client is opened in the same form, and after each success. */
function useNewValues<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  values: DefaultValues<Values>,
  anew: number | undefined,
) {
  const { reset } = form
  const held = useRef({ values, anew })
  useEffect(() => {
    if (held.current.values === values && held.current.anew === anew) return
    held.current = { values, anew }
    reset(values)
  }, [values, anew, reset])
}

interface FocusWhen {
  loading: boolean
  disabled: boolean
  atFirst: boolean | string
  anew: number | undefined
}

/** Takes the focus to the first field once it can be typed in, and again when the form has started anew. */
function useFocus(fields: RefObject<HTMLFieldSetElement | null>, when: FocusWhen) {
  const { loading, disabled, atFirst, anew } = when
  const due = useRef(atFirst !== false)
  const last = useRef(anew)
  useEffect(() => {
    if (last.current !== anew) due.current = !disabled
    last.current = anew
    if (!due.current || loading || disabled) return
    due.current = false
    const field = typeof atFirst === 'string' ? `[name=${atFirst}]` : FIELD
    if (fields.current && !isBusy(fields.current)) fields.current.querySelector<HTMLElement>(field)?.focus()
  })
}

const FIELD = ':is(input:not([hidden]), select, textarea):not(:disabled)'

/** Its person is at something else by now, on the same page or in the same dialog. */
function isBusy(fields: Element) {
  const place = (element: Element | null) => element?.closest('main, [role=dialog]') ?? null
  const at = document.activeElement
  if (!at?.matches('a, button, input, select, textarea') || fields.closest('form')?.contains(at)) return false
  return place(at) === place(fields)
}

/**
 * Shows what the server said of each field at that field, and takes the focus to the first. What belongs to no field is
 * answered, to be said beneath; an edit ends both.
 */
function useRefusal<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  refusal: SubmitError | null,
): string | undefined {
  const { setError, getValues, subscribe } = form
  const [edited, setEdited] = useState<SubmitError | null>(null)
  useEffect(() => {
    Object.entries(refusal?.fields ?? {}).forEach(([name, message], at) => {
      setError(name as Path<Values>, { type: 'server', message }, { shouldFocus: at === 0 })
    })
    return subscribe({
      formState: { values: true },
      callback: ({ type }) => type === 'change' && setEdited(refusal),
    })
  }, [refusal, setError, subscribe])
  const isAtFields = Object.keys(refusal?.fields ?? {}).some((name) => name in getValues())
  return refusal === null || refusal === edited || isAtFields ? undefined : refusal.message
}

const Shell = styled('form')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 4,
  maxWidth: 560,
  '& fieldset': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr)',
    gap: 8,
    minWidth: 0,
    margin: 0,
    padding: 0,
    border: 0,
  },
  '& h2': { marginBottom: 12, fontSize: '0.875rem', fontWeight: 600 },
})

/** Has its line kept, so that a reason pushes nothing. */
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
