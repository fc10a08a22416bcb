/** What code of the agent API is made of: where the server is, and the workflow's key. */
interface Access {
  base: string;
  key: string;
}

/**
 * Code that begins a conversation and says one thing (docs/agent.md), by what each language brings along.
 * A request that is repeated with its Idempotency-Key is done once.
 */
export const AGENT_CODE = {
  curl: ({ base, key }: Access): string => `API=${base}/api/v1/public/conversations
KEY=${key}
JSON='Content-Type: application/json'

# {"conversationId":"conv_…","message":"…","workflowName":"…"}
started=$(curl -sS "$API/start" -H "X-API-Key: $KEY" -H "$JSON" -d '{"metadata":{"name":"Ada"}}')
printf '%s\\n' "$started"
id=$(printf '%s' "$started" | sed 's/.*"conversationId":"\\([^"]*\\)".*/\\1/')

# {"messages":[{"message":"…","sentAt":"…"}],"status":"active"}
curl -sS "$API/$id/messages" -H "X-API-Key: $KEY" -H "$JSON" -d '{"message":"Hello"}'
`,
  JavaScript: ({ base, key }: Access): string => `const api = '${base}/api/v1/public/conversations';

async function post(path, body) {
  const answer = await fetch(api + path, {
    method: 'POST',
    headers: {
      'X-API-Key': '${key}',
      'Content-Type': 'application/json',
      // Sent once more with the same one, it is done once.
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error);
  return json;
}

const { conversationId, message } = await post('/start', { metadata: { name: 'Ada' } });
console.log(message);

const { messages, status } = await post(\`/\${conversationId}/messages\`, { message: 'Hello' });
for (const { message } of messages) console.log(message);
console.log(status); // active, handoff or ended
`,
  Python: ({ base, key }: Access): string => `import json, urllib.request, uuid

API = '${base}/api/v1/public/conversations'

def post(path, body):
    request = urllib.request.Request(API + path, json.dumps(body).encode(), {
        'X-API-Key': '${key}',
        'Content-Type': 'application/json',
        # Sent once more with the same one, it is done once.
        'Idempotency-Key': str(uuid.uuid4()),
    })
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

started = post('/start', {'metadata': {'name': 'Ada'}})
print(started['message'])

turn = post(f"/{started['conversationId']}/messages", {'message': 'Hello'})
for said in turn['messages']:
    print(said['message'])
print(turn['status'])  # active, handoff or ended
`,
} as const;

export type CodeLanguage = keyof typeof AGENT_CODE;
export const CODE_LANGUAGES = Object.keys(AGENT_CODE) as CodeLanguage[];
