/**
 * Turns of a scripted provider that speaks, calls tools in every way that can go wrong, asks a person and ends, with words
 * of the model in every place that a turn has. Its last text is at `<name>-final`.
 *
 * @param at the word for a place
 */
export function wordyTurns(name: string, at: (place: string) => string): object[] {
  return [
    {
      text: at(`${name}-text`),
      calls: [
        { toolName: 'echo', arguments: { text: at('echoed') } },
        { toolName: 'fail', arguments: { text: at('thrown') } },
        { toolName: 'fail_without_error', arguments: { text: at('thrown-bare') } },
        { toolName: 'explain', arguments: { text: at('explained') } },
        { toolName: 'echo', arguments: `{"text": "${at('malformed')}` },
        { toolName: 'echo', arguments: { text: 7, [at('argument-name')]: at('argument') } },
        { toolName: at('tool-name'), arguments: { text: at('unknown-tool') } },
      ],
    },
    {
      text: at(`${name}-pause-text`),
      calls: [
        {
          callId: 'c_note',
          toolName: 'ask_note',
          arguments: { topic: at('topic'), note: at('overlaid'), [at('extra')]: 1 },
        },
        { callId: 'c_echo', toolName: 'echo', arguments: { text: at('beside') } },
      ],
    },
    { text: at(`${name}-final`) },
  ];
}
