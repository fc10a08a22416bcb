/**
 * Code that checks the signature of a delivery (Standard Webhooks, "Verifying webhook authenticity"), by the standard
 * library of each language alone. `verify` gets the secret, the headers with names in lower case, and the body's bytes.
 */
export const VERIFY_CODE = {
  'Node.js': `import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(secret, headers, body) {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  // Nobody sends an old request once more.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  Python: `import base64, hashlib, hmac, time

def verify(secret, headers, body):
    id = headers.get('webhook-id', '')
    timestamp = headers.get('webhook-timestamp', '')
    # Nobody sends an old request once more.
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f'{id}.{timestamp}.'.encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = b'v1,' + base64.b64encode(digest)
    given = headers.get('webhook-signature', '').encode().split(b' ')
    return any(hmac.compare_digest(one, expected) for one in given)
`,
  PHP: `<?php
function verify(string $secret, array $headers, string $body): bool {
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    // Nobody sends an old request once more.
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($digest);
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}
`,
  Ruby: `require 'openssl'

def verify(secret, headers, body)
  id = headers['webhook-id'].to_s
  timestamp = headers['webhook-timestamp'].to_s
  # Nobody sends an old request once more.
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  key = secret.delete_prefix('whsec_').unpack1('m')
  signed = "#{id}.#{timestamp}.".b + body.b
  digest = OpenSSL::HMAC.digest('SHA256', key, signed)
  expected = "v1,#{[digest].pack('m0')}"
  headers['webhook-signature'].to_s.split(' ').any? do |given|
    OpenSSL.secure_compare(given, expected)
  end
end
`,
  Go: `package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify takes the headers as net/http has them.
func Verify(secret string, headers http.Header, body []byte) bool {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	at, err := strconv.ParseInt(timestamp, 10, 64)
	// Nobody sends an old request once more.
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), expected) {
			return true
		}
	}
	return false
}
`,
} as const;

export type CodeLanguage = keyof typeof VERIFY_CODE;
export const CODE_LANGUAGES = Object.keys(VERIFY_CODE) as CodeLanguage[];
