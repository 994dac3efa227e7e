# The daily run: sh daily.sh SITE-FOLDER. What could not be done is in not-done.txt.
set -eu
: > not-done.txt
catalog-api sync --quiet || echo "sync" >> not-done.txt

{
  catalog-api list --newest --older-than 20h --quiet && catalog-api list --older-than 7d --quiet
} > listed.txt || echo "list" >> not-done.txt
awk '!listed[$0]++' listed.txt > to-scan.txt # each line once
while read -r image report rest; do
  mkdir -p "${report%/*}"
  if trivy image --quiet --format json --output "$report.new" "$image" </dev/null; then
    mv "$report.new" "$report"
  else
    rm -f "$report.new"
    echo "scan of $image" >> not-done.txt
  fi
done < to-scan.txt

catalog-api record --quiet # also finds every error, before anything is built
mkdocs build --quiet --site-dir "$1"
cp "$1/api/v1/manifest.json" manifest.json
