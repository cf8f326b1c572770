import { useEffect } from 'react'
import { useFormContext } from 'react-hook-form'

/**
 * Takes an error from a field once what it says is over, as when the credits have come that were lacking: it would
 * stay until somebody edits the field. What the schema finds wrong, the schema itself takes back.
 */
export function useEndOfError(name: string, isOver: boolean): void {
  const { getFieldState, clearErrors } = useFormContext()
  useEffect(() => {
    if (isOver && getFieldState(name).error?.type !== 'schema') clearErrors(name)
  }, [name, isOver, getFieldState, clearErrors])
}
