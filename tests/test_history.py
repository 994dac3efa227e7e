"""What a history says after several days: a table of stories."""

from __future__ import annotations

import pytest

from .sites import SiteFolder
from .stories import Story, Told

STORIES = {
    "found and rebuilt the next day": Story("a: | a: 1 | b:", " | +1 | -1 rebuilt", "1 2–3 rebuilt"),
    "found, then not scanned, then gone": Story(
        "a: | a: 1 | b: ? | b:", " | +1 | | -1 rebuilt", "1 2–4 rebuilt", figures="1: 0, 2: 1, 3: ?, 4: 0"
    ),
    "a database that takes back what it said fixes nothing": Story(
        "a: | a: 1 | a:", " | +1 | -1 scanner", "1 2– scanner"
    ),
    "without any digest nothing counts as rebuilt": Story(
        "-: | -: 1 | -:", " | +1 | -1 scanner", "1 2– scanner"
    ),
    "a statement that is withdrawn reopens": Story(
        "a: | a: 1 | a: 1 ~1 | a: 1",
        " | +1 | ~1 | again 1",
        "1 2–, 1 2– suppressed",
        fixes="1 2–",
        figures="1: 0, 2: 1, 3: 0 ~1, 4: 1",
    ),
    "one package suppressed and the other fixed is no fix": Story(
        "a: | a: 1@curl 1 | a: 1@curl 1 ~1 | b: 1@curl ~1",
        " | +1@curl, +1 | ~1@curl, ~1 | -1 rebuilt",
        "1@curl 2– suppressed, 1 2– suppressed",
        fixes="1 2– suppressed",
    ),
    "what is suppressed in one package is not fixed in another on the same day": Story(
        "a: | a: 1@curl 1 | b: 1@curl ~1",
        " | +1@curl, +1 | -1 rebuilt, ~1@curl",
        "1@curl 2– suppressed, 1 2–3 rebuilt",
        fixes="1 2– suppressed",
    ),
    "an end that is not a fix keeps its reason": Story(
        "a: | a: 1 2@curl 2@zlib | a: 1 2@curl ~1 | a: 1 ~1",
        " | +1, +2@curl, +2@zlib | -2@zlib scanner, ~1 | -2@curl scanner",
        "1 2– suppressed, 2@curl 2– scanner, 2@zlib 2– scanner",
        fixes="1 2– suppressed, 2 2– scanner",
    ),
    "a new version fixes although the old one keeps it": Story(
        "a: | a: 1 | a: 1; 1.1=b:",
        " | +1 | -1 superseded",
        "1 2–3 superseded 1.1",
        kinds="grade-changed | release-added latest-changed scan-changed grade-changed",
    ),
    "of two packages with one id one is fixed": Story(
        "a: | a: 1@curl 1 | b: 1@curl | c:",
        " | +1@curl, +1 | -1 rebuilt | -1@curl rebuilt",
        "1@curl 2–4 rebuilt, 1 2–3 rebuilt",
        fixes="1 2–4 rebuilt",
    ),
    "a severity that is raised": Story(
        "a: | a: 1 | a: 1!CRITICAL | b:",
        " | +1 | 1 was HIGH | -1 rebuilt",
        "1 2–4 rebuilt",
        fixes="1!CRITICAL 2–4 rebuilt",
    ),
    "the worst severity counts, also of a day in between": Story(
        "a: | a: 1!LOW 2!MEDIUM | a: 1!HIGH 2!CRITICAL | a: 1!LOW 2!LOW | b: 2!LOW",
        " | +1, +2 | 1 was LOW, 2 was MEDIUM | 1 was HIGH, 2 was CRITICAL | -1 rebuilt",
        "1 2–5 rebuilt, 2 2–",
        fixes="1 2–5 rebuilt, 2!CRITICAL 2–",
    ),
    "the worst severity may be that of another package": Story(
        "a: | a: 1!LOW | a: 1!LOW 1!CRITICAL@curl | a: 1!LOW | b:",
        " | +1 | +1@curl | -1@curl scanner | -1 rebuilt",
        "1@curl 2– scanner, 1 2–5 rebuilt",
        fixes="1!CRITICAL 2–5 rebuilt",
    ),
    "renamed, withdrawn, and back again": Story(
        "a: | a: 1 | web> a: 1 | web> {lifecycle: withdrawn} a: 1 | a: 1",
        " | +1 | +1, -1 withdrawn | | +1, -1 withdrawn",
        "1 2–, 1 2– withdrawn, web> 1 *3– withdrawn",
        fixes="1 2–, web> 1 3– withdrawn",
        kinds="grade-changed | "
        "image-added release-added latest-changed scan-changed grade-changed image-removed | "
        "lifecycle-changed | "
        "image-added release-added latest-changed scan-changed grade-changed image-removed",
        figures="1: 0, 2: 1, 3: ?, 5: 1, web> 3: 1, web> 5: ?",
    ),
    "what a renamed image shows has no known beginning": Story(
        "a: | a: 1 | web> a: 1 | web> a: 1 2 | web> b:",
        " | +1 | +1, -1 withdrawn | +2 | -1 rebuilt, -2 rebuilt",
        "1 2– withdrawn, web> 2 4–5 rebuilt, web> 1 *3–5 rebuilt",
        fixes="1 2– withdrawn, web> 1 *3–5 rebuilt, web> 2 4–5 rebuilt",
    ),
    "a renamed image that is scanned a day later has no known beginning": Story(
        "a: | a: 1 | web> a: ? | web> a: 1",
        " | +1 | -1 withdrawn | +1",
        "1 2– withdrawn, web> 1 *4–",
        fixes="1 2– withdrawn, web> 1 4–",
    ),
    "a renamed image is known by the digests of its scans": Story(
        "-a: | -a: 1 | web> -a: 1",
        " | +1 | +1, -1 withdrawn",
        "1 2– withdrawn, web> 1 *3–",
        fixes="1 2– withdrawn, web> 1 3–",
    ),
    "an image with digests of its own has a beginning": Story("a: | a: | web> b: 1", " | | +1", "web> 1 3–"),
    "a release is deleted, and going back to an older version fixes nothing": Story(
        "a: | a: 2; 1.1=b: 1 | a: 2",
        " | +1 | -1 superseded, +2",
        "2 3–, 1 2– superseded",
        fixes="1 2– superseded, 2 3–",
        kinds="release-added latest-changed scan-changed grade-changed | "
        "release-removed latest-changed scan-changed",
    ),
    "the first record of an old catalog is a baseline": Story(
        "a: 1 2 ~2 | a: 1 2 3 | b:",
        "+1 baseline, ~2 baseline | again 2, +3 | -1 rebuilt, -2 rebuilt, -3 rebuilt",
        "2 *2–3 rebuilt, 3 2–3 rebuilt, 1 *1–3 rebuilt",
        fixes="1 *1–3 rebuilt, 2 *2–3 rebuilt, 3 2–3 rebuilt",
    ),
    "what was there at the baseline has no beginning when it comes back": Story(
        "a: 1 | a: | a: 1 | b:",
        "+1 baseline | -1 scanner | +1 | -1 rebuilt",
        "1 *1–4 rebuilt, 1 *1– scanner",
        fixes="1 *1–4 rebuilt",
    ),
    "another scanner": Story(
        "a: | a: 1@libssl3 2@zlib | a: 1 3@curl (grype) | a: 1 3@curl (grype)",
        " | +1@libssl3, +2@zlib | -2@zlib scanner, 1 was libssl3, +3@curl scanner",
        "3@curl 3–, 1 2–, 2@zlib 2– scanner",
        fixes="1 2–, 2 2– scanner, 3 3–",
    ),
    "another scanner that names more packages": Story(
        "a: | a: 1 | a: 1@libcrypto3 1@libssl3 (grype)",
        " | +1 | 1@libcrypto3 was openssl, +1@libssl3 scanner",
        "1@libcrypto3 2–, 1@libssl3 2–",
        fixes="1 2–",
    ),
    "another scanner that looks at another build proves no fix": Story(
        "a: | a: 1 | b: (grype)", " | +1 | -1 rebuilt", "1 2– rebuilt"
    ),
    "another scanner that looks at another version proves no fix": Story(
        "a: | a: 1 | 1.1=b: (grype)", " | +1 | -1 superseded", "1 2– superseded"
    ),
    "a newer release of the same scanner proves a fix": Story(
        "a: | a: 1 | b: (trivy 9.9.9)", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "another label on the same image fixes nothing": Story(
        "a: | a: 1 | 1.0.1=a:", " | +1 | -1 scanner", "1 2– scanner"
    ),
    "another digest of the same build in the reports": Story(
        "a: (also b) | a: 1 (also b) | b: (also a)", " | +1 | -1 scanner", "1 2– scanner"
    ),
    "the clock goes on after a scanner was silent for a day": Story(
        "a: | a: 1 | a: | a: 1 | b:",
        " | +1 | -1 scanner | +1 | -1 rebuilt",
        "1 2–5 rebuilt, 1 2– scanner",
        fixes="1 2–5 rebuilt",
    ),
    "the clock goes on after a statement for a day": Story(
        "a: | a: 1 | a: 1 ~1 | a: 1 | b:",
        " | +1 | ~1 | again 1 | -1 rebuilt",
        "1 2–5 rebuilt, 1 2– suppressed",
        fixes="1 2–5 rebuilt",
    ),
    "the clock goes on after a rebuild while a statement hid the id": Story(
        "a: | a: 1 | a: 1 ~1 | b: ~1 | c: 1",
        " | +1 | ~1 | -1 rebuilt | +1",
        "1 2–, 1 2– suppressed",
        fixes="1 2–",
    ),
    "the clock goes on after the image was away or not scanned": Story(
        "a: | a: 1 | – | a: 1 | b: ? | b:",
        " | +1 | -1 withdrawn | +1 | | -1 rebuilt",
        "1 2–6 rebuilt, 1 2– withdrawn",
        fixes="1 2–6 rebuilt",
    ),
    "after a fix the clock starts on the day that the id comes back": Story(
        "a: | a: 1 | b: | c: 1 | d:",
        " | +1 | -1 rebuilt | +1 | -1 rebuilt",
        "1 4–5 rebuilt, 1 2–3 rebuilt",
        fixes="1 2–3 rebuilt, 1 4–5 rebuilt",
    ),
    "an older variant of the same release fixes nothing": Story(
        "a: | a: 1 | 1.0-alpine=b: 1 | 1.0-alpine=b: 1; 1.0=c:", " | +1 | | -1 superseded", "1 2– superseded"
    ),
    "a newer version than the variant fixes": Story(
        "a: | a: 1 | 1.0-alpine=b: 1 | 1.0-alpine=b: 1; 1.1=c:",
        " | +1 | | -1 superseded",
        "1 2–4 superseded 1.1",
    ),
    "setting latest back fixes nothing": Story(
        "a: ?; 1.1=b: | a: ?; 1.1=b: 1 | {latest: '1.0'} a:; 1.1=b: 1 | a: ?; 1.1=b: ?; 1.2=c: 1",
        " | +1 | -1 superseded | +1",
        "1 2–, 1 2– superseded",
        fixes="1 2–",
    ),
    "a fix is taken back with the version that brought it": Story(
        "a: | a: 1 | a: 1; 1.1=b: | a: 1", " | +1 | -1 superseded | +1", "1 2–"
    ),
    "a fix is taken back when the id reappears in the same digest": Story(
        "a: | a: 1 | b: | b: 1 | c:", " | +1 | -1 rebuilt | +1 | -1 rebuilt", "1 2–5 rebuilt"
    ),
    "a fix is taken back under another name of the package": Story(
        "a: | a: 1 | b: | b: 1@libssl3 | c:",
        " | +1 | -1 rebuilt | +1@libssl3 | -1@libssl3 rebuilt",
        "1@libssl3 2–5 rebuilt",
        fixes="1 2–5 rebuilt",
    ),
    "a fix is taken back when the id reappears under a statement": Story(
        "a: | a: 1 | b: | b: 1 ~1", " | +1 | -1 rebuilt | ~1", "1 2– suppressed"
    ),
    "a fix is taken back when the build of before is listed again": Story(
        "a: | a: 1 | b: | a: 1", " | +1 | -1 rebuilt | +1", "1 2–"
    ),
    "a fix in one of two packages is taken back alone": Story(
        "a: | a: 1@curl 1 | b: 1@curl | b: 1@curl 1",
        " | +1@curl, +1 | -1 rebuilt | +1",
        "1@curl 2–, 1 2–",
        fixes="1 2–",
    ),
    "a second package has the clock of its id": Story(
        "a: | a: 1 | a: 1 1@curl", " | +1 | +1@curl", "1@curl 2–, 1 2–", fixes="1 2–"
    ),
    "an ended system fixes nothing": Story("a: | a: 1 | b: (ended)", " | +1", "1 2–"),
    "a system that had ended before hides nothing": Story(
        "a: (ended) | a: 1 (ended) | b: (ended)", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "a system that has ended no longer hides nothing": Story(
        "a: (ended) | a: 1 (ended) | b:", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "a scan made before the vulnerability was seen fixes nothing": Story(
        "a: | a: 1 | b: (made 1)", " | +1 | -1 rebuilt", "1 2– rebuilt"
    ),
    "a scan made on the day on which it was seen fixes": Story(
        "a: | a: 1 | b: (made 2)", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "a scan without a time is as old as its first record": Story(
        "a: | b: 1 | a:", " | +1 | -1 rebuilt", "1 2– rebuilt"
    ),
    "a later scan of the same is no event": Story(
        "a: (made 1) | a: (made 2)",
        "",
        "",
        kinds="",
    ),
    "the scan of another platform fixes nothing": Story(
        "a: | a: 1 (amd64) | b: (arm64)", " | +1 | -1 rebuilt", "1 2– rebuilt"
    ),
    "the scan of the same platform fixes": Story(
        "a: | a: 1 (amd64) | b: (amd64)", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "a scan that names no platform fixes": Story(
        "a: | a: 1 (amd64) | b:", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "a report that names no part fixes nothing where there are several": Story(
        "a<amd64 arm64>: | a<amd64 arm64>: 1 | b<amd64 arm64>:", " | +1 | -1 rebuilt", "1 2– rebuilt"
    ),
    "the same manifest in a new index fixes nothing": Story(
        "a<amd64=x>: (amd64) | a<amd64=x>: 1 (amd64) | b<amd64=x>: (amd64)",
        " | +1 | -1 scanner",
        "1 2– scanner",
    ),
    "another manifest in a new index fixes": Story(
        "a<amd64=x>: (amd64) | a<amd64=x>: 1 (amd64) | b<amd64=y>: (amd64)",
        " | +1 | -1 rebuilt",
        "1 2–3 rebuilt",
    ),
    "what only an unscanned platform had is not gone": Story(
        "a+b: / | a+b: 1 / 1 2 | a+b: 1 / ? | . | a+b: 1 / 1",
        " | +1, +2 | | | -2 scanner",
        "1 2–, 2 2– scanner",
        kinds="grade-changed | scan-changed grade-changed | | scan-changed grade-changed",
        figures="1: 0, 2: 2, 3: 2, 5: 1",
    ),
    "a rebuilt image fixes once each platform is scanned": Story(
        "a+b: / | a+b: 1 / 1 2 | c+d: 3 / ? | c+d: 3 / 2",
        " | +1, +2 | +3 | -1 rebuilt",
        "3 3–, 1 2–4 rebuilt, 2 2–",
        fixes="1 2–4 rebuilt, 2 2–, 3 3–",
    ),
    "a new version fixes once each platform is scanned": Story(
        "a+b: / | a+b: 1 / 1 2 | 1.1=c+d: 3 / ? | 1.1=c+d: 3 / 2",
        " | +1, +2 | +3 | -1 superseded",
        "3 3–, 1 2–4 superseded 1.1, 2 2–",
        fixes="1 2–4 superseded 1.1, 2 2–, 3 3–",
    ),
    "what one platform no longer reports is not fixed by scanning the other": Story(
        "a+b: / | a+b: 1 / 1 2 | c+d: 3 / ? | c+d: /",
        " | +1, +2 | +3 | -1 rebuilt, -2 rebuilt, -3 scanner",
        "3 3– scanner, 1 2–4 rebuilt, 2 2–4 rebuilt",
        fixes="1 2–4 rebuilt, 2 2–4 rebuilt, 3 3– scanner",
    ),
    "only whole scans end anything": Story(
        "a+b: / | a+b: 1 / 1 2 | c+d: 1 / ? | c+d: /",
        " | +1, +2 | | -1 rebuilt, -2 rebuilt",
        "1 2–4 rebuilt, 2 2–4 rebuilt",
        figures="1: 0, 2: 2, 3: 2, 4: 0",
    ),
    "a platform that stays as it was fixes nothing": Story(
        "a+b: / | a+b: 1 / 1 2 | a+c: /", " | +1, +2 | -1 scanner, -2 scanner", "1 2– scanner, 2 2– scanner"
    ),
    "former digests stay": Story(
        "a: | b: | b: ?; 1.1=c: ? | 1.1=c: ? | –", "", "", digests="1.0=a 1–2, 1.0=b 2–4, 1.1=c 3–5"
    ),
    "a digest that only the scan names is known until the next scan of the version": Story(
        "-a: | -: ? | -b:", "", "", digests="1.0=a 1–3, 1.0=b 3–"
    ),
}
ACCEPTED = {
    "one platform is enough for who scans no other": Story(
        "a+b: / ? | c+d: 1 / ? | e+f: / ?", " | +1 | -1 rebuilt", "1 2–3 rebuilt"
    ),
    "but not for what only an unscanned platform had": Story(
        "a+b: / | a+b: 1 / 1 2 | a+b: 1 / ? | a+b: 1 / 1",
        " | +1, +2 | | -2 scanner",
        "1 2–, 2 2– scanner",
        figures="1: 0, 2: 2, 4: 1",
    ),
}
"""Stories of a catalog that accepts images of which some platforms are not scanned."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    accepting = SiteFolder(tmp_path_factory.mktemp("accepting"))
    accepting.settings["security"] = {"accept": ["partial"]}
    strict = Told(SiteFolder(tmp_path_factory.mktemp("strict")), STORIES)
    return dict.fromkeys(STORIES, strict) | dict.fromkeys(ACCEPTED, Told(accepting, ACCEPTED))


@pytest.mark.parametrize("name", [*STORIES, *ACCEPTED])
def test_a_story_is_told(told: dict[str, Told], name: str) -> None:
    story = (STORIES | ACCEPTED)[name]
    assert told[name].story(name, story) == story
