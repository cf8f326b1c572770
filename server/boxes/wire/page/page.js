// The page that a set-top box opens. Boxes have old browsers, so this is ES5 without a library, and without reserved words
// as names of properties (`.catch`), at which WebKit 533 reads no further. It uses the box's own player `gSTB` where there is
// one. Whatever comes from a playlist, a message or a client is written as text, never as HTML.

;(function () {
  var stb = window.gSTB
  var CALLS = '../server/load.php'
  /** How long a typed number waits for its next digit, and the channel's name stays, in milliseconds. */
  var NUMBER_MS = 2000
  var NAME_MS = 4000
  /** The digits of the highest number that a playlist can give a channel. */
  var MOST_DIGITS = 6
  /** When what failed is tried again, and how long an answer may take, in milliseconds. */
  var AGAIN_MS = 30000
  var LONGEST_MS = 20000
  /** When a picture that ended is begun again, at first and at the latest, in milliseconds. Each time it takes twice as long. */
  var RESUME_MS = 3000
  var RESUME_MOST_MS = 60000
  /** How often a box that is out polls before it signs in: the reason may be another one by then. */
  var POLLS_OUT = 5
  /** What a call is answered whose token is not, or no longer, good for it. */
  var NOT_VALID = 'Authorization failed.'
  var AWAY = 'The service cannot be reached. This box keeps trying.'
  var NO_BOX = 'This page is for set-top boxes. Open it on a box.'
  var NO_CHANNELS = 'There are no channels yet.'
  var NOT_PLAYABLE = 'This channel cannot be played at the moment.'
  var BY_LOGIN = ' To sign in with another login, press OK.'
  var WRONG = 'The login or the password is wrong. After three tries, wait 15 minutes.'

  var mac = tell('GetDeviceMacAddress') || read('MACAddress')
  var token = kept()
  var channels = []
  /** The channel that was played last: its place in the list, and its id, since the list may change. */
  var at = 0
  var last = ''
  /** Whether its channels may be others than those of its list. It is told so once, so it asks until a list has come. */
  var isListOld = false
  var typed = ''
  /** The event that the box was told last, which its next poll names. */
  var heard = 0
  /** The messages that nobody has read, in the order in which they came. The first one may be on the screen. */
  var messages = keptMessages()
  /** Whether it was told to stop, and not yet that it may play again. */
  var isCut = false
  /** How often it polled since it was refused last. */
  var polls = 0
  /** Whether a refusal has made it sign in at once since its last poll. */
  var hasHurried = false
  /** Whether it may leave the client that refuses it by another login, and whether somebody asked for the form. */
  var mayLogIn = false
  var asksForm = false
  /** 'out', 'login' or 'in'. */
  var state = 'out'
  /** Whether it is in standby, in which this page runs on and polls, but plays and shows nothing. */
  var sleeps = can('StandBy') && isYes(tell('GetStandByStatus'))
  var pollEvery = 120000
  var polling = null
  var naming = null
  var numbering = null
  var hiding = null
  var resuming = null
  var resumeAfter = RESUME_MS
  /** Since when the picture plays, in milliseconds since 1970; 0 where it does not. */
  var playsSince = 0
  /** Counts the sign-ins and logins, so that an answer that comes after the next one began is not used. */
  var turn = 0

  /** Whether the box has this function. */
  function can(name) {
    return !!(stb && stb[name])
  }

  /** Asks the box itself; an empty text where it does not know. Some firmware ends its answers with a new line. */
  function tell(name, argument) {
    try {
      var told = can(name) ? (argument === undefined ? stb[name]() : stb[name](argument)) : ''
      return told === undefined || told === null ? '' : String(told).replace(/^\s+|\s+$/g, '')
    } catch (_) {
      return ''
    }
  }

  /** Returns the token that this box had before it was switched off, so that nobody has to log in again; else ''. */
  function kept() {
    try {
      return window.localStorage.getItem('token of ' + mac) || ''
    } catch (_) {
      return ''
    }
  }

  function keep() {
    try {
      window.localStorage.setItem('token of ' + mac, token)
    } catch (_) {}
  }

  /** Returns the messages that were unread when this page was left: a reload or a reboot loses none. */
  function keptMessages() {
    try {
      var kept = JSON.parse(window.localStorage.getItem('messages of ' + mac))
      return kept.token === token ? kept.messages : []
    } catch (_) {
      return []
    }
  }

  /** Keeps them with the token, since a box with another one may be another client's. */
  function keepMessages() {
    try {
      window.localStorage.setItem('messages of ' + mac, JSON.stringify({ token: token, messages: messages }))
    } catch (_) {}
  }

  /** A box that gets another token may be another client's by now, who is not to read what the last one was sent. */
  function forgetMessages() {
    messages = []
    keepMessages()
    hideMessage()
  }

  /** Asks as older firmware wants to be asked. */
  function read(what) {
    return tell('RDir', what)
  }

  function facts() {
    return {
      sn: tell('GetDeviceSerialNumber') || read('SerialNumber'),
      stb_type: tell('GetDeviceModelExt') || read('Model'),
      ver: 'ImageDescription: ' + read('ImageDescription') + '; ImageDate: ' + read('ImageDate'),
      image_version: read('ImageVersion'),
      hw_version: tell('GetDeviceVersionHardware') || read('HardwareVersion'),
      device_id: tell('GetUID'),
      device_id2: tell('GetUID'),
      hd: '1',
      cut: '1',
    }
  }

  function byId(id) {
    return document.getElementById(id)
  }

  /** Writes a text in place of all that was there. */
  function write(id, text) {
    var element = byId(id)
    while (element.firstChild) element.removeChild(element.firstChild)
    if (text) element.appendChild(document.createTextNode(text))
  }

  function show(id, isShown) {
    if (isShown) byId(id).removeAttribute('hidden')
    else byId(id).setAttribute('hidden', '')
  }

  function formOf(fields) {
    var parts = []
    for (var name in fields) parts.push(encodeURIComponent(name) + '=' + encodeURIComponent(fields[name]))
    return parts.join('&')
  }

  /**
   * Makes a call. `done` gets the answer; `failed` gets the text of a refusal, or an empty one where nothing answered.
   * All is in the body, since an address is kept in many logs.
   */
  function call(name, fields, done, failed) {
    var own = turn
    var request = new XMLHttpRequest()
    request.open('POST', CALLS, true)
    request.setRequestHeader('Content-Type', 'application/x-www-form-urlencoded')
    if (token) request.setRequestHeader('Authorization', 'Bearer ' + token)
    var limit = setTimeout(function () {
      request.abort()
    }, LONGEST_MS)
    request.onreadystatechange = function () {
      if (request.readyState !== 4) return
      clearTimeout(limit)
      if (own !== turn) return
      var answer
      try {
        answer = JSON.parse(request.responseText).js
      } catch (_) {}
      if (answer === undefined) failed(request.status === 200 ? request.responseText : '')
      else done(answer)
    }
    var sent = { type: name.split('/')[0], action: name.split('/')[1] }
    for (var field in fields) sent[field] = fields[field]
    request.send(formOf(sent))
  }

  /** Lets answers to earlier calls go unheard, and nothing be asked by the clock until the next answer. */
  function beginAnew() {
    turn += 1
    clearTimeout(polling)
  }

  function signIn() {
    beginAnew()
    handshake(token, function () {
      getProfile({}, '')
    })
  }

  /** Gets a token: the same one as before while the box is in with that. */
  function handshake(before, then) {
    call(
      'stb/handshake',
      { token: before },
      function (answer) {
        if (answer.token !== token) forgetMessages()
        token = answer.token
        keep()
        then()
      },
      tryAgain
    )
  }

  /** Asks whether it may play. `wrong` is what the form says, if it is asked for a login again. */
  function getProfile(more, wrong) {
    var fields = facts()
    for (var field in more) fields[field] = more[field]
    call(
      'stb/get_profile',
      fields,
      function (profile) {
        judge(profile, wrong)
      },
      tryAgain
    )
  }

  function judge(profile, wrong) {
    pollEvery = (Number(profile.watchdog_timeout) || 120) * 1000
    mayLogIn = profile.by_login === 1
    if (profile.status === 2) askLogin(profile.msg, wrong)
    else if (asksForm && mayLogIn) askLogin('', wrong)
    else if (profile.status === 0) enter()
    else {
      if (profile.polls_on === 1) isCut = true
      refuse((profile.block_msg || profile.msg) + (mayLogIn ? BY_LOGIN : ''))
      // Soon: what is sent to it may have waited for this poll already.
      if (isCut) {
        clearTimeout(polling)
        polling = setTimeout(poll, AGAIN_MS)
      }
    }
  }

  /** Shows the form instead of a refusal, or the refusal again. */
  function ask(forForm) {
    asksForm = forForm
    beginAnew()
    if (forForm) askLogin('', '')
    else signIn()
  }

  /**
   * Shows the form below a sentence, and asks again as often as it polls: the box may be registered meanwhile. A form that
   * is there already keeps what was typed and the focus.
   */
  function askLogin(sentence, wrong) {
    polling = setTimeout(signIn, pollEvery)
    write('why', sentence)
    write('wrong', wrong)
    if (state !== 'login') {
      state = 'login'
      isCut = false
      stop()
      write('screen', '')
      show('login', true)
      byId('name').focus()
    }
    if (wrong) byId('password').focus()
  }

  /** Where the client was reset after the box got its token, a login is refused: then the box gets a new token first. */
  function logIn() {
    beginAnew()
    sendLogin(function (refusal) {
      if (refusal !== NOT_VALID) tryAgain(refusal)
      else
        handshake('', function () {
          sendLogin(tryAgain)
        })
    })
  }

  /** A login is not taken either where it is wrong or where no more may be tried now: the profile says which. */
  function sendLogin(failed) {
    call(
      'stb/do_auth',
      { login: byId('name').value, password: byId('password').value },
      function (isRight) {
        // Also where it was wrong: OK on it would be another try.
        byId('password').value = ''
        if (isRight) asksForm = false
        getProfile({ auth_second_step: '1' }, isRight ? '' : WRONG)
      },
      failed
    )
  }

  function enter() {
    state = 'in'
    asksForm = false
    isCut = false
    isListOld = true
    show('login', false)
    write('screen', '')
    loadChannels(function () {
      play(at)
    })
    showMessage()
    polling = setTimeout(poll, pollEvery)
  }

  /** Makes up for a list of channels, or a link, that did not come. */
  function makeUp() {
    if (isListOld || (!isPlaying() && channels.length === 0)) loadChannels(playAtLast)
    else playAtLast()
  }

  function playAtLast() {
    if (!isPlaying()) play(at)
  }

  function isPlaying() {
    return document.documentElement.className === 'playing'
  }

  /**
   * Shows a sentence instead of the picture, and asks again as often as it polls: a renewal lets the box in by itself. A box that
   * was in polls on, and is told.
   */
  function refuse(sentence) {
    // A message that came while it was out stays until it was read.
    if (state !== 'out') stop()
    state = 'out'
    polls = 0
    show('login', false)
    write('screen', sentence)
    clearTimeout(polling)
    polling = setTimeout(isCut ? poll : signIn, pollEvery)
  }

  /**
   * What is playing goes on: the stream may be there while this service is not. A refusal makes it sign in at once, but only
   * once between two polls: something on the way may answer every call by a page of its own, and two boxes with one MAC put
   * each other out.
   */
  function tryAgain(refusal) {
    clearTimeout(polling)
    var mayPoll = state === 'in' || isCut
    if (refusal !== '' && mayPoll && !hasHurried) {
      hasHurried = true
      isCut = false
      signIn()
    }
    // What was cut off just now has yet to be refused with the reason.
    else if (state === 'in' && isCut) polling = setTimeout(signIn, AGAIN_MS)
    else if (mayPoll) polling = setTimeout(poll, AGAIN_MS)
    else {
      write(state === 'login' ? 'wrong' : 'screen', AWAY)
      polling = setTimeout(signIn, AGAIN_MS)
    }
  }

  function poll() {
    hasHurried = false
    call(
      'watchdog/get_events',
      {
        init: '0',
        cur_play_type: channels.length > 0 && !sleeps ? '1' : '0',
        event_active_id: String(heard),
        cut: '1',
        is_cut: isCut ? '1' : '0',
      },
      function (answer) {
        // A call that failed meanwhile has asked for a poll too.
        clearTimeout(polling)
        polls += 1
        polling = setTimeout(state === 'out' && polls >= POLLS_OUT ? signIn : poll, pollEvery)
        if (state === 'in') makeUp()
        if (answer.data && answer.data.event) act(answer.data)
      },
      tryAgain
    )
  }

  function act(event) {
    heard = event.id
    if (event.event === 'send_msg') {
      messages.push(event)
      keepMessages()
      showMessage()
    } else if (event.event === 'cut_off' || event.event === 'cut_on') {
      isCut = event.event === 'cut_off'
      if (isCut) stop()
      // It is refused with the reason, or let in.
      signIn()
    } else if (event.event === 'update_channels') {
      isListOld = true
      loadChannels(function () {})
    } else if (event.event === 'reload_portal') window.location.reload()
    else if (event.event === 'reboot') tell('ExecAction', 'reboot')
  }

  /** Shows the message that waits longest, which the service then learns, unless it is there already. */
  function showMessage() {
    if (sleeps || messages.length === 0 || !byId('message').hasAttribute('hidden')) return
    var message = messages[0]
    write('text', message.msg)
    show('message', true)
    byId('read').focus()
    var seconds = Number(message.auto_hide_timeout) || 0
    if (seconds > 0) hiding = setTimeout(endMessage, seconds * 1000)
    if (String(message.need_confirm) === '1')
      call(
        'watchdog/confirm_event',
        { event_active_id: String(message.id), cut: '1' },
        function () {},
        function () {}
      )
  }

  function endMessage() {
    messages.shift()
    keepMessages()
    hideMessage()
    showMessage()
  }

  function hideMessage() {
    clearTimeout(hiding)
    show('message', false)
    byId('read').blur()
  }

  function loadChannels(then) {
    call(
      'itv/get_all_channels',
      {},
      function (answer) {
        channels = answer.data || []
        isListOld = false
        var place = placeOf('id', last)
        at = place < 0 ? Math.min(at, Math.max(0, channels.length - 1)) : place
        write('screen', channels.length > 0 ? '' : NO_CHANNELS)
        then()
      },
      tryAgain
    )
  }

  /** Returns where the channel with this id or number is in the list; -1 where there is none. */
  function placeOf(field, value) {
    for (var place = 0; place < channels.length; place += 1)
      if (channels[place][field] === value) return place
    return -1
  }

  function play(next) {
    var channel = channels[next]
    if (!channel) {
      if (channels.length === 0) endPicture()
      return
    }
    if (sleeps) return
    forgetResume()
    if (next !== at) resumeAfter = RESUME_MS
    at = next
    last = channel.id
    nameChannel(channel.number + '  ' + channel.name, NAME_MS)
    call(
      'itv/create_link',
      { cmd: channel.cmd },
      function (link) {
        if (sleeps || !channels[at] || channels[at].id !== channel.id) return
        if (link.cmd) return start(link.cmd)
        nameChannel(channel.name + ': ' + NOT_PLAYABLE, NAME_MS)
        endPicture()
      },
      function (refusal) {
        if (refusal === '') resume()
        tryAgain(refusal)
      }
    )
  }

  /**
   * Plays on with a new link after a pause: the picture has ended, since its link is a day old or its server was away for a
   * moment. The pause grows, because many boxes may have lost the same server.
   */
  function resume() {
    if (state !== 'in' || !isPlaying() || resuming !== null) return
    if (playsSince > 0 && Date.now() - playsSince >= RESUME_MOST_MS) resumeAfter = RESUME_MS
    playsSince = 0
    // A gap of seconds needs no word.
    if (channels[at] && resumeAfter > RESUME_MS)
      nameChannel(channels[at].name + ': ' + NOT_PLAYABLE, resumeAfter)
    resuming = setTimeout(function () {
      play(at)
    }, resumeAfter)
    resumeAfter = Math.min(2 * resumeAfter, RESUME_MOST_MS)
  }

  function forgetResume() {
    clearTimeout(resuming)
    resuming = null
  }

  /** The picture plays: it has begun, or went on by itself after a gap. */
  function notePlaying() {
    // What was said of the gap is not true any more.
    if (resuming !== null) write('channel', '')
    forgetResume()
    if (playsSince === 0) playsSince = Date.now()
  }

  /** Plays 'ffmpeg http://…': the word is the box's player, the rest the address. */
  function start(cmd) {
    document.documentElement.className = 'playing'
    if (can('Play')) return tell('Play', cmd)
    var picture = byId('picture')
    picture.src = cmd.replace(/^\S+ /, '')
    var begun = picture.play && picture.play()
    // What fails is told by an event too.
    if (begun && begun.then) begun.then(null, function () {})
  }

  /** The next poll asks for a picture again. */
  function endPicture() {
    forgetResume()
    playsSince = 0
    document.documentElement.className = ''
    tell('Stop')
    var picture = byId('picture')
    picture.removeAttribute('src')
    // Without this, what is loaded plays on unseen.
    if (picture.load) picture.load()
  }

  function stop() {
    endPicture()
    channels = []
    write('channel', '')
    hideMessage()
  }

  function nameChannel(text, ms) {
    write('channel', text)
    clearTimeout(naming)
    naming = setTimeout(function () {
      write('channel', '')
    }, ms)
  }

  function zap(by) {
    if (channels.length > 0) play((at + by + channels.length) % channels.length)
  }

  /** Collects the digits of a channel's number. */
  function type(digit) {
    typed = (typed + digit).slice(-MOST_DIGITS)
    nameChannel(typed, NUMBER_MS)
    clearTimeout(numbering)
    numbering = setTimeout(goToNumber, NUMBER_MS)
  }

  function goToNumber() {
    var wanted = String(Number(typed))
    typed = ''
    clearTimeout(numbering)
    play(placeOf('number', wanted))
  }

  function isYes(told) {
    return told === '1' || told === 'true'
  }

  function changeVolume(by) {
    var volume = Math.max(0, Math.min((Number(tell('GetVolume')) || 0) + by, 100))
    tell('SetMute', 0)
    tell('SetVolume', volume)
    nameChannel('Volume ' + volume, NAME_MS)
  }

  function switchSound() {
    var isOff = !isYes(tell('GetMute'))
    tell('SetMute', isOff ? 1 : 0)
    nameChannel(isOff ? 'Sound off' : 'Volume ' + tell('GetVolume'), NAME_MS)
  }

  function switchPower() {
    // Where either sleeps, it is woken: the television may have woken the box, or the box may never tell.
    sleeps = !sleeps && !isYes(tell('GetStandByStatus'))
    if (sleeps) {
      write('channel', '')
      endPicture()
    }
    tell('StandBy', sleeps)
    if (sleeps) return
    playAtLast()
    showMessage()
  }

  var UP = 38
  var DOWN = 40
  var OK = 13
  var BACK = 8
  var EXIT = 27
  /** CH+ and, with Shift, CH- of a MAG's remote. */
  var CHANNEL = 9
  var LOUDER = 107
  var QUIETER = 109
  var VOLUME_STEP = 5
  /** Keys of a MAG's remote that come with Alt; KEYBOARD opens the keyboard on the screen. */
  var MUTE = 192
  var POWER = 85
  var KEYBOARD = 76

  /** What can have the focus in the form, from the top. */
  var FORM = ['name', 'password', 'sign-in']

  /**
   * Returns whether the browser is to deal with a key itself. A remote has digits but no letters: OK on an empty field
   * opens the keyboard on the screen.
   */
  function typeInForm(event) {
    var key = event.keyCode
    var focused = document.activeElement
    var place = -1
    for (var i = 0; i < FORM.length; i += 1) if (focused === byId(FORM[i])) place = i
    if (key === UP || key === DOWN) {
      var next = key === UP ? place - 1 : place + 1
      byId(FORM[Math.max(0, Math.min(next, FORM.length - 1))]).focus()
    } else if (event.altKey && key === KEYBOARD) tell('ShowVirtualKeyboard')
    else if (key === OK && (place === 0 || place === 1) && !focused.value) tell('ShowVirtualKeyboard')
    else return true
    return false
  }

  /** Obeys the keys that mean the same at any time. Returns false where a key is none of them. */
  function obeyAlways(event) {
    var key = event.keyCode
    if (event.altKey && key === POWER && can('StandBy')) switchPower()
    else if (sleeps) return true
    else if (event.altKey && key === MUTE && can('SetMute')) switchSound()
    // In the form they are plus and minus.
    else if ((key === LOUDER || key === QUIETER) && can('SetVolume') && state !== 'login')
      changeVolume(key === LOUDER ? VOLUME_STEP : -VOLUME_STEP)
    else return false
    return true
  }

  document.onkeydown = function (event) {
    var key = event.keyCode
    if (obeyAlways(event)) return false
    if (!byId('message').hasAttribute('hidden')) {
      if (key === OK || key === BACK || key === EXIT) endMessage()
      return false
    }
    if ((state === 'out' && mayLogIn && key === OK) || (asksForm && key === EXIT)) {
      ask(key === OK)
      return false
    }
    if (state === 'login') return typeInForm(event)
    if (state !== 'in') return true
    if (key === UP || (key === CHANNEL && !event.shiftKey)) zap(1)
    else if (key === DOWN || (key === CHANNEL && event.shiftKey)) zap(-1)
    else if (key >= 48 && key <= 57) type(String(key - 48))
    else if (key >= 96 && key <= 105) type(String(key - 96))
    else if (key === OK && typed) goToNumber()
    else return true
    return false
  }
  byId('read').onclick = endMessage
  byId('login').onsubmit = function () {
    // OK on the remote after the login goes on to the password, as a try without one would count.
    if (!byId('name').value) byId('name').focus()
    else if (!byId('password').value) byId('password').focus()
    else logIn()
    return false
  }

  byId('picture').onplaying = notePlaying
  byId('picture').onended = byId('picture').onerror = resume
  /** What the player of a box tells by a number: the end or a gap, an error, and that it plays. */
  window.stbEvent = {
    onEvent: function (event) {
      if (Number(event) === 1 || Number(event) === 5) resume()
      else if (Number(event) === 4) notePlaying()
    },
    event: 0,
  }

  if (!mac) write('screen', NO_BOX)
  else {
    tell('InitPlayer')
    // The page lies over the picture.
    tell('SetTopWin', 0)
    // In another kind of standby this page does not run, and hears of no key.
    try {
      stb.StandByMode = 1
    } catch (_) {}
    // Else its remote cannot open the keyboard.
    tell('EnableVKButton', true)
    document.cookie = 'mac=' + encodeURIComponent(mac) + '; path=/'
    signIn()
  }
})()
