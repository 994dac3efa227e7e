"""Every command that the guide prints for a shell is run, or there is a reason why it can't be."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from .example import EXAMPLE
from .fake_hub import FakeHub, Version
from .fake_registry import FakeRegistry
from .feeds_of_advisories import kev
from .guide import PAGES, blocks
from .programs import need
from .registries import running
from .servers import serve
from .sites import SiteFolder, row, trivy
from .test_guide import shell

SITE = "https://example.org/catalog"
FIRST, SECOND, THIRD = "2026-11-02", "2026-11-03", "2026-11-04"
RUN = {
    ("authoring", "catalog-api new image nginx"),
    ("command-line", "catalog-api check"),
    ("command-line", "catalog-api check --strict --quiet"),
    ("history", "catalog-api record             # today"),
    ("registry", "catalog-api sync"),
    ("registry", "mkdocs new ."),
    ("registry", "catalog-api sync --dry-run   # prints what would change"),
    ("registry", "catalog-api sync --prune"),
    ("scanning", "catalog-api sync hub"),
    ("troubleshooting", "catalog-api check --strict"),
    ("troubleshooting", "catalog-api check --verbose"),
    ("exploited", "catalog-api sync kev"),
}
"""Page and first line of the blocks that are run below."""
ELSEWHERE = {
    "start": "test_guide: the page as a whole, in its order",
    "clients": "test_guide and test_recipes: every block with a title",
    "daily": "test_daily: scripts, workflows, and the commands for a branch of data",
    "ci-gate": "test_recipes: every block with a title",
    "publish": "test_publishing: what a host without a workflow runs each day",
    "sign": "test_sign: the script and the commands; cosign is not installed here",
    "others": "test_zensical, with the real program",
    "ask": "test_ask: the program and the script",
}
"""Where the other blocks of a page are run."""
RUN_ELSEWHERE = {
    ("sign", "sh verify.sh https://example.org/catalog/"),
    ("sign", "sh verify.sh https://example.org/catalog/ public.pem"),
    ("sign", "openssl genpkey -algorithm ed25519 -out key.pem          # once; keep it secret"),
    ("sign", "mkdocs build --strict"),
    ("others", "zensical build"),
    ("publish", "git pull"),
    ("ask", "curl -sO https://catalog.example.org/hardened/guide/catalog.py"),
    ("ask", "pip install 'mcp>=2.3,<3'"),
    ("ask", "python3 catalog.py https://catalog.example.org/hardened search postgres"),
    ("ask", 'python3 catalog.py "$SITE" check "$IMAGE" > answer.txt'),
}
NOT_RUN = {
    (
        "sign",
        "cosign sign-blob --yes --bundle site/api/v1/manifest.json.sigstore site/api/v1/manifest.json",
    ): ("needs cosign and the identity of a workflow"),
    ("sign", "IDENTITY=https://github.com/YOU/catalog/.github/workflows/daily.yml@refs/heads/main"): (
        "needs cosign"
    ),
    (
        "sign",
        "curl -sI https://example.org/catalog/api/v1/index.json | grep -iE "
        "'^(http|access-control|cache-control|content-type)'",
    ): "prints headers; test_hosts reads those of real servers",
    ("upgrade", "pip install -r requirements.txt"): "installs; test_package does so from the Start page",
    ("lines", "catalog-api sync eol"): "asks endoflife.date; test_sync_eol asks a stand-in",
    ("scanning", "catalog-api list --older-than 24h --quiet | while read -r image report rest; do"): (
        "scans images; test_list runs it with a stand-in for the scanner"
    ),
    (
        "vulnerabilities",
        "curl -s https://catalog.example.org/hardened/api/v1/security.json | jq '.available.total, .total'",
    ): ("asks a site that is an example; test_populations reads both fields of it"),
    ("authoring", "nvchecker -c nvchecker.toml && nvcmp -c nvchecker.toml -j > nvcmp.json"): (
        "asks upstream projects; test_nvcmp reads what it writes"
    ),
    (
        "editor",
        "sed -i 's|https://json-schema.org/draft/2020-12/schema|http://json-schema.org/draft-07/schema#|' "
        "schemas/*.json",
    ): ("installs a linter; test_editor_schema validates with the same schemas"),
    ("hosts", "aws s3 sync site/ s3://BUCKET/catalog/ --delete --exclude 'api/v1/*'"): "needs an account",
    ("scanning", "mkdir -p scans/nginx"): "pulls an image; test_report_formats reads real reports",
    (
        "scanning",
        "curl -s https://harbor.example.org/api/v2.0/projects/acme/repositories/nginx/artifacts/1.27.3/"
        "additions/vulnerabilities -o scans/nginx/1.27.3.json",
    ): "needs a Harbor",
}


def command(page: str, first: str) -> str:
    """The one block of the page that begins so."""
    assert (page, first) in RUN
    (found,) = [found.text for found in blocks(page, "sh") if found.text.splitlines()[0] == first]
    return found


def output(page: str, beginning: str) -> str:
    """The one printed output on the page that begins so."""
    (found,) = [found.text for found in blocks(page, "text") if found.text.startswith(beginning)]
    return found


def test_every_block_for_a_shell_is_run_or_there_is_a_reason() -> None:
    shown = {
        (name, found.text.splitlines()[0])
        for name in PAGES
        for found in blocks(name, "sh")
        if not (name in ("daily", "start") or (name in ("clients", "ci-gate", "sign") and found.title))
    }
    assert shown == RUN | RUN_ELSEWHERE | NOT_RUN.keys()
    assert {name for name, _ in RUN_ELSEWHERE} | {"start", "clients", "daily", "ci-gate"} == ELSEWHERE.keys()
    others = {found.language for name in PAGES for found in blocks(name)} & {"console", "bash", "shell"}
    assert others == set(), "blocks for a shell are `sh`, what it prints is `text`"


@pytest.fixture
def folder(site: SiteFolder) -> Path:
    """A site with an image, its scan and the settings that the commands need."""
    site.image("nginx", "versions: [1.29.3]")
    site.report("nginx/1.29.3.json", trivy([row("CVE-2026-0001")]))
    site.write_config()
    return site.folder


def test_a_page_is_begun(site: SiteFolder) -> None:
    site.write_config()
    shell(site.folder, command("authoring", "catalog-api new image nginx"))
    assert (site.folder / "docs/images/nginx.md").is_file()


@pytest.mark.slow
def test_check_and_build(folder: Path) -> None:
    shutil.copytree(EXAMPLE, folder / "example_site")
    shell(folder, command("command-line", "catalog-api check"))
    assert (folder / "site/api/v1/index.json").is_file()
    assert shell(folder, command("command-line", "catalog-api check --strict --quiet")) == ""
    assert "no problems" in shell(folder, command("troubleshooting", "catalog-api check --strict"))
    assert "1 scanned" in shell(folder, command("troubleshooting", "catalog-api check --verbose"))


def git(folder: Path) -> None:
    """Make the folder a repository with one commit."""
    need("git")
    shell(
        folder,
        "git init -q && git config user.name a && git config user.email a@example.org\n"
        "git add . && git commit -qm First",
    )


@pytest.mark.slow
def test_a_history_is_begun_and_shown(folder: Path) -> None:
    git(folder)
    said = shell(folder, command("history", "catalog-api record             # today"))
    assert re.search(r"^recorded \d{4}-\d\d-\d\d: \d+ events", said, re.MULTILINE)
    assert "history/" in shell(folder, "git show --stat --format=%s")
    shell(folder, "catalog-api build -q")
    assert (folder / "site/api/v1/changes.json").is_file()


@pytest.mark.slow
def test_two_histories_that_were_merged(folder: Path) -> None:
    shell(folder, f"catalog-api record -q --date {FIRST}")
    shutil.copytree(folder, folder.parent / "other")
    page = folder / "docs/images/nginx.md"
    page.write_text(page.read_text("utf-8").replace("---\n", "---\nlifecycle: deprecated\n", 1), "utf-8")
    shutil.copy(page, folder.parent / "other/docs/images/nginx.md")
    shell(folder, f"catalog-api record -q --date {THIRD}")
    shell(folder.parent / "other", f"catalog-api record -q --date {SECOND}")
    shutil.copy(folder.parent / f"other/history/{SECOND}.json", folder / "history")
    before, after = output("history", "warning: ").split("…")
    said = shell(folder, "catalog-api check -q")
    assert said.startswith(before) and said.splitlines()[0].endswith(after.strip())


@pytest.mark.slow
def test_registries_are_asked(folder: Path, site: SiteFolder) -> None:
    file = folder / "registry/images/nginx.json"
    with FakeRegistry().running() as registry:
        site.settings["registry"] = f"{registry.host}/acme"
        site.write_config()
        for tag in ("1.28.0", "1.29.3"):
            registry.image("acme/nginx", tag)
        site.image("nginx", "versions: registry")
        registry.tags("acme/nginx", "1.28.0", "1.29.3")
        ask = partial(shell, folder, DOCKER_CONFIG=str(folder))
        printed = re.sub(r"[0-9]+ requests", "", output("registry", "registry/images/nginx.json: "))
        assert re.sub(r"[0-9]+ requests", "", ask(command("registry", "catalog-api sync"))).endswith(printed)
        registry.tags("acme/nginx", "1.29.3")
        ask(command("registry", "catalog-api sync --dry-run   # prints what would change"))
        assert '"gone": true' in file.read_text("utf-8")
        ask(command("registry", "catalog-api sync --prune"))
    facts = json.loads(file.read_text("utf-8"))
    assert [each["version"] for each in facts["versions"]] == ["1.29.3"]
    assert [each["version"] for each in facts["former"]] == ["1.28.0"]


@pytest.mark.slow
def test_an_empty_folder_becomes_a_site_of_five_images(tmp_path: Path) -> None:
    folder, text = tmp_path / "empty", command("registry", "mkdocs new .")
    folder.mkdir()
    assert len(text.splitlines()) == 4
    pushed = {}
    with running(tmp_path) as registry:
        for slug in ("nginx", "redis", "postgres", "node", "python"):
            for version in ("1.28.0", "1.29.3"):
                pushed[slug] = registry.index(f"acme/images/{slug}", slug + version, version)
        shell(folder, text.replace("ghcr.io", registry.host), DOCKER_CONFIG=str(folder))
        image = f"{registry.host}/acme/images"
    for slug, index in pushed.items():
        item = json.loads((folder / f"site/api/v1/images/{slug}/index.json").read_bytes())["data"]
        newest, older = item["versions"]
        assert (item["image"], newest["version"], older["version"]) == (f"{image}/{slug}", "1.29.3", "1.28.0")
        assert newest["digest"] == index["digest"]
        assert newest["platforms"] == ["linux/amd64", "linux/arm64"]
        assert [part["digest"] for part in newest["manifests"]] == [part["digest"] for part in index["parts"]]
        assert (newest["size"], newest["released"]) == (100 + len(f"{slug}1.29.3"), "2026-11-01")


@pytest.mark.slow
def test_reports_and_advisories_are_fetched(folder: Path, site: SiteFolder) -> None:
    hub = FakeHub()
    hub.charts["acme/stack"] = {"1.2.0": Version(["acme/web:1.0"], report={"acme/web:1.0": trivy([])})}
    site.page(
        "charts/stack.md",
        "category: Tools\ntier: core\nlicense: MIT\nhub: https://artifacthub.io/packages/helm/acme/stack",
    )
    www = folder / "mirror"
    www.mkdir()
    (www / "kev").write_bytes(kev({"CVE-2026-0001": "2026-01-02"}))
    reports = command("scanning", "catalog-api sync hub")
    advisories = command("exploited", "catalog-api sync kev")
    with hub.running(), serve(www) as port:
        mirror = f"http://127.0.0.1:{port}"
        ask = partial(
            shell,
            folder,
            CATALOG_API_HUB=hub.address,
            CATALOG_API_KEV=f"{mirror}/kev",
        )
        ask(reports)
        assert (folder / "scans/hub/acme/stack/1.2.0.json").is_file()
        said = ask(advisories)
    assert said == output("exploited", "advisories/known_exploited")
