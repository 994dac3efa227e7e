# Wait until the site that was built is online, and check it: sh live.sh URL/
set -eu
for seconds in 0 60 300 600; do
  sleep "$seconds"
  if curl -fsS "$1api/v1/manifest.json" | cmp -s - manifest.json; then
    sh verify.sh "$1"
    exit
  fi
done
echo "$1 is not the site that was built" >&2
exit 1
