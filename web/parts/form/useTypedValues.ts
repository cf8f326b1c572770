import { useEffect } from 'react'
import { type FieldValues, type UseFormSubscribe, useFormContext } from 'react-hook-form'

/** Calls `act` with the values of the form in which this is rendered, each time that the person has changed one. */
export function useTypedValues<Values extends FieldValues>(act: (values: Values) => void): void {
  const { subscribe } = useFormContext<Values>()
  useEffect(() => onEdit(subscribe, act), [subscribe, act])
}

/** Calls `act` with the values of a form each time that the person has changed one. Returns what ends this. */
export function onEdit<Values extends FieldValues>(
  subscribe: UseFormSubscribe<Values>,
  act: (values: Values) => void,
): () => void {
  return subscribe({
    formState: { values: true },
    callback: ({ type, values }) => {
      if (type === 'change') act(values)
    },
  })
}
