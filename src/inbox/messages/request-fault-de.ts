/** What the interface says of values that do not fit, in German: each sentence begins with the name of a field. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^must be an object$/, 'muss eine Gruppe von Werten sein'],
  [/^must be an? (?:string|text)$/, 'muss ein Text sein'],
  [/^must be an array$/, 'muss eine Liste sein'],
  [/^must be an? number$/, 'muss eine Zahl sein'],
  [/^must be an integer$/, 'muss eine ganze Zahl sein'],
  [/^must be at least (\d+)$/, 'muss mindestens $1 sein'],
  [/^must be at most (\d+)$/, 'darf höchstens $1 sein'],
  [/^must have at most (\d+) characters$/, 'darf höchstens $1 Zeichen haben'],
  [/^must have at least (\d+) characters$/, 'muss mindestens $1 Zeichen haben'],
  [/^must (?:have|be an array of) at most (\d+) items$/, 'darf höchstens $1 Einträge haben'],
  [/^must not be empty$/, 'darf nicht leer sein'],
  [/^must be true or false$/, 'muss ja oder nein sein'],
  [/^must be one of (.+)$/, 'muss eines von diesen sein: $1'],
  [/^must have items out of (.+)$/, 'darf nur diese Einträge haben: $1'],
  [/^must match (\S+)$/, 'muss zum Muster $1 passen'],
  [/^must have items that match (\S+)$/, 'muss Einträge haben, die zum Muster $1 passen'],
  [/^must be an absolute URL$/, 'muss eine vollständige Webadresse sein'],
  [/^must begin with http:\/\/ or https:\/\/$/, 'muss mit http:// oder https:// beginnen'],
  [/^must not carry user info$/, 'darf keine Zugangsdaten enthalten'],
  [/^must have neither query nor fragment$/, 'darf weder eine Abfrage noch ein Fragment haben'],
  [
    /^must be the name of an environment variable that begins with (\S+)$/,
    'muss der Name einer Umgebungsvariablen sein, der mit $1 beginnt',
  ],
  [
    /^must have 1 to 64 letters, digits, blanks or \. _ @ -, and begin with a letter or digit$/,
    'muss 1 bis 64 Buchstaben, Ziffern, Leerzeichen oder . _ @ - haben und mit einem Buchstaben oder einer Ziffer beginnen',
  ],
  [/^must have 1 to 255 visible ASCII characters$/, 'muss 1 bis 255 sichtbare ASCII-Zeichen haben'],
  [/^must be a time of RFC 3339, such as (\S+)$/, 'muss ein Datum sein'],
  [/^must be in the future$/, 'muss in der Zukunft liegen'],
  [/^cannot be true for a tool that asks for input$/, 'geht nicht bei einem Werkzeug, das nach Eingaben fragt'],
  [
    /^cannot be false for a tool that declares approval or a write$/,
    'geht nicht bei einem Werkzeug, das eine Freigabe verlangt oder schreibt',
  ],
  [
    /^must be text, or an object, of at most (\d+) characters, (\d+) values and (\d+) levels$/,
    'muss ein Text oder eine Gruppe von Werten mit höchstens $1 Zeichen, $2 Werten und $3 Ebenen sein',
  ],
  [/^is not a known property$/, 'ist hier nicht bekannt'],
  [/^is not valid$/, 'ist nicht gültig'],
];

/** The English sentence itself where it has no German one yet. */
export function requestFaultInGerman(message: string): string {
  for (const [pattern, german] of SENTENCES) if (pattern.test(message)) return message.replace(pattern, german);
  return message;
}
