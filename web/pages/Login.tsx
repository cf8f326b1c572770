import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { Card } from '../parts/Card.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { LARGE } from '../parts/large.ts'
import { lastUsername, openSession, useSessionState } from '../session.tsx'
import { Mark } from '../shell/Mark.tsx'
import { SignInForm } from '../shell/SignInForm.tsx'

/** The login page, with its captcha. */
export function Login() {
  const state = useSessionState()
  const [username] = useState(lastUsername)
  const hasEnded = state.status === 'out' && state.expired
  useAddress()
  return (
    <Page>
      <title>Sign in · Boxtree</title>
      <Brand>
        <Mark size={40} />
        <span>Boxtree</span>
      </Brand>
      <Card>
        <Title>
          <h1>Sign in</h1>
          {/* The focus is on the password by then. */}
          <p role={hasEnded ? 'alert' : undefined}>
            {hasEnded
              ? 'Your session has ended. Please sign in again.'
              : 'Use the account that you were given.'}
          </p>
        </Title>
        <SignInForm
          username={username}
          label="Sign in"
          autoFocus={username === '' || 'login_password'}
          onDone={openSession}
        >
          <TextInput name="login_username" label="Username" autoComplete="username" asTyped />
        </SignInForm>
      </Card>
    </Page>
  )
}

/** Keeps the address at /login, since no other page can be shown without a session. */
function useAddress() {
  useEffect(() => {
    const stay = () => window.history.replaceState(null, '', '/login')
    window.addEventListener('popstate', stay)
    return () => window.removeEventListener('popstate', stay)
  }, [])
}

const Page = styled('main')(({ theme }) => ({
  display: 'grid',
  alignContent: 'center',
  justifyItems: 'center',
  gap: 24,
  minHeight: '100dvh',
  padding: '32px 16px 64px',
  '& > section': { width: '100%', maxWidth: 400 },
  '& form > div:last-of-type button': { flex: 1, minHeight: 44 },
  [theme.breakpoints.down('sm')]: { alignContent: 'start', paddingTop: 48 },
}))

const Brand = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  fontSize: '1.5rem',
  fontWeight: 600,
  letterSpacing: '-0.01em',
  // Reserves the width of the web font, so that nothing moves when it loads.
  '& span': { width: '3.7em' },
})

const Title = styled('div')(({ theme }) => ({
  marginBottom: 24,
  '& h1': LARGE,
  '& p': { marginTop: 4, color: theme.palette.text.secondary },
}))
