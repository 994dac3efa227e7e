# Asks the catalog about one digest, and runs the policy: sh policy.sh sha256:…
SITE=https://example.org/catalog
DIGEST=$1
[ $# = 1 ] || exit 1

STATUS=$(curl -sS --max-time 30 -o document.json -w '%{http_code}' \
  "$SITE/api/v1/digests/$(printf %s "$DIGEST" | tr : /).json") || STATUS=0
[ "$STATUS" = 200 ] || echo null > document.json
jq -s --arg digest "$DIGEST" --argjson status "$STATUS" '{$digest, $status, document: (if length == 1 then .[0] else null end)}' document.json > input.json &&
  conftest test input.json
