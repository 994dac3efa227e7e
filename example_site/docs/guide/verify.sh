# Check every document of a published site: sh verify.sh URL [PUBLIC-KEY]
set -eu
site=${1%/}
copy=$(mktemp -d)
curl -fsS "$site/api/v1/manifest.json" -o "$copy/manifest.json"
if [ $# -gt 1 ]; then
  curl -fsS "$site/api/v1/manifest.json.sig" -o "$copy/manifest.json.sig"
  openssl pkeyutl -verify -pubin -inkey "$2" -rawin -in "$copy/manifest.json" -sigfile "$copy/manifest.json.sig"
fi
cd "$copy"
jq -r '.documents | to_entries[] | "\(.value.sha256)  \(.key)" |
  if test("\\A[0-9a-f]{64}  [\\w+~-][\\w+.~-]*(/[\\w+~-][\\w+.~-]*)*\\z") then . else error("not a document: \(.)") end' \
  manifest.json > SHA256SUMS
sed -E "s|^[0-9a-f]+  (.*)|url = \"$site/api/v1/\1\"\noutput = \"\1\"|" SHA256SUMS > urls
curl -f --globoff --parallel --create-dirs --config urls 2> /dev/null || true # sha256sum names what is missing
sha256sum --check --quiet SHA256SUMS
jq -r '"\(.documents | length) documents as built at \(.generatedAt) for \(.base)"' manifest.json
cd / && rm -r "$copy"
