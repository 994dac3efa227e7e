# Commit the data: sh keep.sh BRANCH [REMOTE]
set -eu
git fetch --quiet origin "$1"
rm -rf kept # of a run whose push failed
git worktree add --quiet --force --detach kept FETCH_HEAD
for folder in advisories history registry scans; do
  if [ -d "$folder" ]; then
    rm -rf "kept/$folder"
    cp -R "$folder" kept/
  fi
done
git -C kept add --all
git -C kept diff --cached --quiet || git -C kept -c user.name=catalog -c user.email=catalog@example.org commit --quiet -m "Record the catalog"
git push --quiet "${2:-origin}" "$(git -C kept rev-parse HEAD):refs/heads/$1" # from here, as REMOTE may be relative
git worktree remove --force kept
