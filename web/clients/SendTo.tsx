import Button from '@mui/material/Button'
import { MessageCircle, MessageSquareText, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { to } from '../screens.ts'
import { NO_COUNTRY, sms, whatsApp } from './contact.ts'

interface SendToProps {
  client: { login: string; phone: string }
  text: string
  /** Whether a text message is offered, too. */
  bySms?: boolean
  onOpen?: () => void
  /** Closes what covers the client's form, and focuses the number. Without it, the button leads to that page. */
  onType?: (() => void) | undefined
}

/**
 * Links that send a text to a client's phone number; where its country is unknown, the way to where it can be typed.
 */
export function SendTo({ client: { login, phone }, text, bySms = false, onOpen, onType }: SendToProps) {
  const chat = whatsApp(phone, text)
  const message = sms(phone, text)
  if (chat === null || message === null) {
    const way = onType ? { onClick: onType } : { component: Link, to: to.client(login) }
    return (
      <Button variant="outlined" startIcon={<Phone size={18} />} {...way}>
        {NO_COUNTRY}
      </Button>
    )
  }
  return (
    <>
      <ToService address={chat} icon={<MessageCircle size={18} />} onOpen={onOpen}>
        WhatsApp
      </ToService>
      {bySms && (
        <ToService address={message} icon={<MessageSquareText size={18} />} onOpen={onOpen}>
          SMS
        </ToService>
      )}
    </>
  )
}

interface ToServiceProps {
  address: string
  icon: ReactNode
  onOpen: (() => void) | undefined
  children: string
}

/** A link to another service, which learns neither where it was opened nor a way back. */
function ToService({ address, icon, onOpen, children }: ToServiceProps) {
  return (
    <Button
      variant="outlined"
      component="a"
      href={address}
      // The phone itself opens a text message; a window for it would stay empty.
      target={address.startsWith('https:') ? '_blank' : undefined}
      rel="noopener noreferrer"
      startIcon={icon}
      onClick={onOpen}
    >
      {children}
    </Button>
  )
}
