import { styled } from '@mui/material/styles'
import { type ComponentProps, useEffect, useId, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { TRANSACTION_TYPES } from '../../contract/shapes.ts'
import { trimmed } from '../../contract/text.ts'
import { dayFault } from '../../contract/transactions.ts'
import { useCall } from '../calls/useCall.ts'
import { EXACT, InputFrame, Select } from '../parts/form/controls.tsx'
import { useSession } from '../session.tsx'
import type { ChosenFilter } from './useTransactions.ts'

interface TransactionFiltersProps {
  filter: ChosenFilter
  onChange: (name: keyof ChosenFilter, value: string) => void
}

/** The filters of transactions: the account or client that they concern, their type, and the days. */
export function TransactionFilters({ filter, onChange }: TransactionFiltersProps) {
  const { role } = useSession()
  const id = useId()
  const whose = role === 'dealer' ? OF_A_CLIENT : OF_AN_ACCOUNT
  return (
    <Row role="group" aria-label="Filters">
      <label htmlFor={`${id}-whose`}>
        {whose.label}
        <whose.Box
          id={`${id}-whose`}
          value={filter[whose.name] ?? ''}
          onChange={(value) => onChange(whose.name, value)}
        />
      </label>
      <label htmlFor={`${id}-type`}>
        Type
        <Select
          id={`${id}-type`}
          value={filter.type ?? ''}
          onChange={(event) => onChange('type', event.target.value)}
        >
          <option value="">All types</option>
          {TRANSACTION_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </Select>
      </label>
      {(['from', 'to'] as const).map((name) => (
        <label key={name} htmlFor={`${id}-${name}`}>
          {DAYS[name]}
          <DayBox
            id={`${id}-${name}`}
            value={filter[name] ?? ''}
            invalid={name === 'to' && dayFault(filter) !== undefined}
            onChange={(value) => onChange(name, value)}
          />
        </label>
      ))}
    </Row>
  )
}

const DAYS = { from: 'From', to: 'To' }

interface BoxProps {
  id: string
  value: string
  onChange: (value: string) => void
}

/**
 * Takes a day. It applies one whose year has four digits, and any once it is left: while a year is typed, the field
 * has a day of the year 2, 20 and 202 first.
 */
function DayBox({ id, value, invalid, onChange }: BoxProps & { invalid: boolean }) {
  const { input, typed, setTyped } = useTypedField(value)
  const type = (day: string) => {
    setTyped(day)
    if (!day.startsWith('0')) onChange(day)
  }
  return (
    <InputFrame>
      <input
        ref={input}
        id={id}
        type="date"
        value={typed}
        aria-invalid={invalid || undefined}
        onChange={(event) => type(event.target.value)}
        onBlur={() => typed !== value && onChange(typed)}
      />
    </InputFrame>
  )
}

/**
 * What is typed into a field that applies it at once. The URL follows later, and would undo the next letter; only Back
 * and Forward change a field that has the focus.
 */
function useTypedField(value: string) {
  const input = useRef<HTMLInputElement>(null)
  const way = useNavigationType()
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (way === 'POP' || document.activeElement !== input.current) setTyped(value)
  }, [value, way])
  return { input, typed, setTyped }
}

/** Takes the login of a client. It applies one once it is left, or with Enter. */
function ClientBox({ id, value, onChange }: BoxProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return <NameBox {...{ id, value, onChange, typed }} placeholder="All clients" onType={setTyped} />
}

/** Takes the name of an account beneath, and offers all of them. It applies a name once it is whole, or left. */
function AccountBox({ id, value, onChange }: BoxProps) {
  const { data: users = [] } = useCall(calls.session.users, {})
  const { input, typed, setTyped } = useTypedField(value)
  const type = (text: string) => {
    setTyped(text)
    if (text === '' || users.some(({ name }) => name === text)) onChange(text)
  }
  return (
    <NameBox
      {...{ id, value, onChange, typed }}
      ref={input}
      list={`${id}-names`}
      placeholder="All accounts"
      onType={type}
    >
      <datalist id={`${id}-names`}>
        {users.map(({ name, role }) => (
          <option key={name} value={name}>
            {role}
          </option>
        ))}
      </datalist>
    </NameBox>
  )
}

interface NameBoxProps
  extends BoxProps,
    Pick<ComponentProps<'input'>, 'ref' | 'list' | 'placeholder' | 'children'> {
  typed: string
  onType: (text: string) => void
}

/** Applies what is typed once the field is left, or with Enter. */
function NameBox({ value, onChange, typed, onType, children, ...input }: NameBoxProps) {
  const apply = () => typed !== value && onChange(trimmed(typed))
  return (
    <InputFrame>
      <input
        {...input}
        value={typed}
        autoComplete="off"
        {...EXACT}
        onChange={(event) => onType(event.target.value)}
        onBlur={apply}
        onKeyDown={({ key }) => key === 'Enter' && apply()}
      />
      {children}
    </InputFrame>
  )
}

const OF_A_CLIENT = { name: 'client', label: 'Client', Box: ClientBox } as const
const OF_AN_ACCOUNT = { name: 'account', label: 'Account', Box: AccountBox } as const

const Row = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 9.375rem), 1fr))',
  gap: 12,
  marginBottom: 16,
  '& label': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr)',
    minWidth: 0,
    gap: 4,
    fontWeight: 600,
    '& input, & select': { fontWeight: 400 },
  },
})
