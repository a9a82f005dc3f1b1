/** Python's `datetime.strftime` for a local time without a zone, in the C locale, as glibc writes it. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]

/** A number that is filled up to a width, or a word. */
type Field = string | { readonly value: number; readonly width: number; readonly fill: '0' | ' ' }

/** `%`, glibc's flags and width, a modifier that means nothing in the C locale, and the directive. */
const DIRECTIVE =
  /%(?<flags>[-_0^#]*)(?<width>\d{0,4})(?:E(?=[cCxXyY])|O(?=[deHImMSuUVwWy]))?(?<letter>[a-zA-Z%])/g

/**
 * @param format directives that are unknown stay as they are, as in glibc
 * @example strftime(new Date(2025, 6, 10), '%d %b %Y')   // '10 Jul 2025'
 */
export function strftime(date: Date, format: string): string {
  return format.replace(DIRECTIVE, (directive, flags: string, width: string, letter: string) => {
    const field = fieldOf(date, letter)
    return field === undefined ? directive : written(field, flags, width)
  })
}

function written(field: Field, flags: string, width: string): string {
  const upper = flags.includes('^') || (flags.includes('#') && typeof field === 'string')
  const word = typeof field === 'string' ? field : String(field.value)
  const text = upper
    ? flags.includes('#') && /^[AP]M$/.test(word)
      ? word.toLowerCase()
      : word.toUpperCase()
    : word
  const last = flags.replace(/[\^#]/g, '').at(-1)
  if (last === '-') return text
  const fill = last === '_' ? ' ' : last === '0' ? '0' : typeof field === 'string' ? ' ' : field.fill
  const least = width === '' ? (typeof field === 'string' ? 0 : field.width) : Number(width)
  return text.padStart(least, fill)
}

const number = (value: number, width: number, fill: '0' | ' ' = '0'): Field => ({ value, width, fill })

function fieldOf(date: Date, letter: string): Field | undefined {
  const compound = COMPOUNDS[letter]
  if (compound !== undefined) return strftime(date, compound)
  const [year, month, day, weekday] = [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()]
  const hour = date.getHours()
  const half = hour % 12 === 0 ? 12 : hour % 12
  switch (letter) {
    case 'a':
      return DAYS[weekday]?.slice(0, 3)
    case 'A':
      return DAYS[weekday]
    case 'b':
    case 'h':
      return MONTHS[month]?.slice(0, 3)
    case 'B':
      return MONTHS[month]
    case 'C':
      return number(Math.floor(year / 100), 2)
    case 'd':
      return number(day, 2)
    case 'e':
      return number(day, 2, ' ')
    case 'f':
      return String(date.getMilliseconds() * 1000).padStart(6, '0')
    case 'g':
      return number(isoWeek(date).year % 100, 2)
    case 'G':
      return number(isoWeek(date).year, 0)
    case 'H':
      return number(hour, 2)
    case 'I':
      return number(half, 2)
    case 'j':
      return number(dayOfYear(date), 3)
    case 'k':
      return number(hour, 2, ' ')
    case 'l':
      return number(half, 2, ' ')
    case 'm':
      return number(month + 1, 2)
    case 'M':
      return number(date.getMinutes(), 2)
    case 'p':
      return hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 's':
      return number(Math.floor(date.getTime() / 1000), 0)
    case 'S':
      return number(date.getSeconds(), 2)
    case 'u':
      return number(weekday === 0 ? 7 : weekday, 1)
    case 'U':
      return number(Math.floor((dayOfYear(date) + 6 - weekday) / 7), 2)
    case 'V':
      return number(isoWeek(date).week, 2)
    case 'w':
      return number(weekday, 1)
    case 'W':
      return number(Math.floor((dayOfYear(date) + 6 - ((weekday + 6) % 7)) / 7), 2)
    case 'y':
      return number(year % 100, 2)
    case 'Y':
      return number(year, 0)
    case 'n':
      return '\n'
    case 't':
      return '\t'
    case 'z':
    case 'Z':
      return ''
    case '%':
      return '%'
    default:
      return undefined
  }
}

const COMPOUNDS: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
}

/** Days since the epoch, of the date alone. */
function dayNumber(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return Math.round(date.getTime() / 86_400_000)
}

/** From 1. */
function dayOfYear(date: Date): number {
  const year = date.getFullYear()
  return dayNumber(year, date.getMonth(), date.getDate()) - dayNumber(year, 0, 1) + 1
}

/** The week that holds this week's Thursday, and its year. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7))
  return { year: thursday.getFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}
