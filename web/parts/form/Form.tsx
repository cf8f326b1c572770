import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect, useRef } from 'react'
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
  useNewValues(form, values)
  useRefusal(form, submitError)
  const { errors, isValid } = form.formState
  const submit = form.handleSubmit((output) => {
    if (!loading && !disabled && !props.blocked) props.onSubmit(output, form)
  })
  const shown = typeof props.submit === 'string' ? props.submit : props.submit(form.watch())
  return (
    <FormProvider {...form}>
      <Shell noValidate onSubmit={submit} aria-busy={loading}>
        <fieldset disabled={loading || disabled}>
          {title && <h2>{title}</h2>}
          {children}
        </fieldset>
        <Reason role="alert">{submitError?.message ?? errors.root?.message}</Reason>
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

/** Starts again from other values, as when another client is opened in the same form. */
function useNewValues<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  values: DefaultValues<Values>,
) {
  const { reset } = form
  const held = useRef(values)
  useEffect(() => {
    if (held.current === values) return
    held.current = values
    reset(values)
  }, [values, reset])
}

/** Shows what the server said of each field at that field, and takes the focus to the first. */
function useRefusal<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  refusal: SubmitError | null,
) {
  const { setError } = form
  useEffect(() => {
    Object.entries(refusal?.fields ?? {}).forEach(([name, message], at) => {
      setError(name as Path<Values>, { type: 'server', message }, { shouldFocus: at === 0 })
    })
  }, [refusal, setError])
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
