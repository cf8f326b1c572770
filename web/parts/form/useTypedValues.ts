import { useEffect } from 'react'
import { type FieldValues, useFormContext } from 'react-hook-form'

/** Calls `act` with the values of the form in which this is rendered, each time that the person has changed one. */
export function useTypedValues<Values extends FieldValues>(act: (values: Values) => void): void {
  const { subscribe } = useFormContext<Values>()
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ type, values }) => {
          if (type === 'change') act(values)
        },
      }),
    [subscribe, act],
  )
}
