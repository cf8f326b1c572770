import type { Challenge, Solution } from 'altcha-lib/types'

/** What the login asks for: a provider, with the key of its widget or a challenge of our own. */
export interface CaptchaOffer {
  provider: 'altcha' | 'recaptcha' | 'hcaptcha' | 'turnstile' | 'none'
  site_key?: string | undefined
  challenge?: unknown
}

/** Solves a challenge of our own; rejects where it cannot be, or was given up by `signal`. */
export async function solve(challenge: unknown, signal: AbortSignal): Promise<string> {
  const worker = new Worker(new URL('./captchaWorker.ts', import.meta.url), { type: 'module' })
  try {
    const solution = await new Promise<Solution | null>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Solution | null>) => resolve(data)
      worker.onerror = () => reject(new Error('The check could not be run'))
      signal.addEventListener('abort', () => reject(signal.reason))
      worker.postMessage(challenge)
    })
    if (!solution) throw new Error('The check took too long')
    return btoa(JSON.stringify({ challenge: challenge as Challenge, solution }))
  } finally {
    worker.terminate()
  }
}

type Widget = Exclude<CaptchaOffer['provider'], 'altcha' | 'none'>

interface RenderOptions {
  sitekey: string
  theme: 'light' | 'dark'
  callback: (answer: string) => void
  'expired-callback': () => void
  'error-callback': () => void
}

/** The three providers' scripts offer the same thing under three names. */
interface Provider {
  render(element: HTMLElement, options: RenderOptions): unknown
}

const SCRIPTS: Record<Widget, { src: string; global: 'grecaptcha' | 'hcaptcha' | 'turnstile' }> = {
  recaptcha: { src: 'https://www.google.com/recaptcha/api.js', global: 'grecaptcha' },
  hcaptcha: { src: 'https://js.hcaptcha.com/1/api.js', global: 'hcaptcha' },
  turnstile: { src: 'https://challenges.cloudflare.com/turnstile/v0/api.js', global: 'turnstile' },
}

declare global {
  interface Window {
    grecaptcha?: Provider
    hcaptcha?: Provider
    turnstile?: Provider
    captchaLoaded?: () => void
  }
}

/** Draws a provider's widget into `element`. */
export async function draw(provider: Widget, element: HTMLElement, options: RenderOptions): Promise<void> {
  const { src, global } = SCRIPTS[provider]
  if (!window[global]) await load(`${src}?render=explicit&onload=captchaLoaded`)
  const loaded = window[global]
  if (!loaded) throw new Error('The verification service cannot be reached')
  loaded.render(element, options)
}

function load(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    window.captchaLoaded = resolve
    const script = document.createElement('script')
    script.src = src
    script.async = true
    script.onerror = () => {
      script.remove()
      reject(new Error('The verification service cannot be reached'))
    }
    document.head.append(script)
  })
}
