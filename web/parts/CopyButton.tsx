import IconButton from '@mui/material/IconButton'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

/** Copies `text`; `label` says what it is, as in 'Copy MAC address'. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  // A console on plain HTTP has no clipboard; the text can be selected as it stands.
  if (!navigator.clipboard) return null
  return (
    <IconButton
      size="small"
      aria-label={copied ? 'Copied' : label}
      data-hint={copied ? 'Copied' : label}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true), ignore)}
    >
      {copied ? <Check size={16} /> : <Copy size={16} />}
    </IconButton>
  )
}

/** A refused clipboard leaves the text where it is, to be selected by hand. */
function ignore() {}
