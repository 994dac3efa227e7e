"""Credentials for registries, from Docker's configuration file and its helpers, or from the environment.

No message contains a credential.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from .client import NoAnswerError

_DOCKER_HUB = "https://index.docker.io/v1/"
_HELPER = re.compile(r"[A-Za-z0-9._-]+")
_HELPER_SECONDS = 60
USER, TOKEN = "CATALOG_REGISTRY_USER", "CATALOG_REGISTRY_TOKEN"


class Login(NamedTuple):
    """A user and a password (or token)."""

    user: str
    password: str
    remedy: str = ""
    """What to check if a registry denies access."""

    @property
    def basic(self) -> str:
        """Return the value of the header `Authorization`."""
        return f"Basic {base64.b64encode(f'{self.user}:{self.password}'.encode()).decode()}"


class _Auth(Struct):
    """`{"auth": "dXNlcjpwYXNz"}`: user and password in base64, or a token instead."""

    auth: str = ""
    identitytoken: str = ""


class _DockerConfig(Struct, rename="camel"):
    """`{"auths": {"ghcr.io": …}, "credHelpers": {"ghcr.io": "gh"}, "credsStore": "desktop"}`."""

    auths: dict[str, _Auth] = field(default_factory=dict)
    creds_store: str = ""
    cred_helpers: dict[str, str] = field(default_factory=dict)


class _HelperAnswer(Struct, rename="pascal"):
    """`{"Username": "me", "Secret": "secret"}`, the output of a helper."""

    username: str
    secret: str


# Created in one thread: msgspec crashes if several threads are the first to decode a type.
_CONFIG, _ANSWER = msgspec.json.Decoder(_DockerConfig), msgspec.json.Decoder(_HelperAnswer)


class Credentials:
    """Looks up the login of each registry once."""

    def __init__(self, registry: str | None, environment: Mapping[str, str] | None = None) -> None:
        """`registry` is the host that can have a login in the environment."""
        self._registry = registry
        self._environment = os.environ if environment is None else environment
        self._locks: dict[str, Lock] = {}
        self._logins: dict[str, Login | NoAnswerError | None] = {}

    def of(self, host: str) -> Login | None:
        """Return the login for a registry; None for anonymous access.

        Raises:
            NoAnswerError: the configuration file or a helper fails.
        """
        with self._locks.setdefault(host, Lock()):
            if host not in self._logins:
                try:
                    self._logins[host] = self._look_up(host)
                except NoAnswerError as error:
                    self._logins[host] = error
        login = self._logins[host]
        if isinstance(login, NoAnswerError):
            raise login
        return login

    def _look_up(self, host: str) -> Login | None:
        user, token = self._environment.get(USER), self._environment.get(TOKEN)
        if host == self._registry and user and token:
            return Login(user, token, f"check {USER} and {TOKEN}; read access is enough")
        folder = self._environment.get("DOCKER_CONFIG")
        path = (Path(folder) if folder else Path("~/.docker").expanduser()) / "config.json"
        try:
            config = _CONFIG.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            raise NoAnswerError(
                f"Docker's configuration file {path} can't be read", hint="correct it"
            ) from None
        keys = [host, f"https://{host}", *([_DOCKER_HUB, "index.docker.io"] if host == "docker.io" else [])]
        for key in keys:
            if helper := config.cred_helpers.get(key) or config.creds_store:
                login = _ask_helper(helper, key)
                if login:
                    return login
        for key in keys:
            if key not in config.auths:
                continue
            if config.auths[key].identitytoken:
                raise _identity_token(host)
            user, colon, password = _decoded(config.auths[key].auth, path).partition(":")
            if colon and user:
                return Login(user, password)
        return None


def _decoded(auth: str, path: Path) -> str:
    try:
        return base64.b64decode(auth, validate=True).decode().rstrip("\0")
    except ValueError:
        raise NoAnswerError(
            f"Docker's configuration file {path} has an `auth` that is not base64", hint="log in again"
        ) from None


def _identity_token(host: str) -> NoAnswerError:
    return NoAnswerError(
        f"Docker's login for {host} is an identity token, which `sync` can't use",
        hint=f"set {USER} and {TOKEN}, or log in with a user and a password",
    )


def _ask_helper(helper: str, host: str) -> Login | None:
    """Return the login of `docker-credential-HELPER` for a host."""
    program = f"docker-credential-{helper}"
    if not _HELPER.fullmatch(helper):
        raise NoAnswerError(
            "the name of a credential helper in Docker's configuration file is not valid", hint="correct it"
        )
    try:
        answer = subprocess.run(  # noqa: S603
            [program, "get"], input=host.encode(), capture_output=True, timeout=_HELPER_SECONDS, check=False
        )
    except FileNotFoundError:
        raise NoAnswerError(
            f"{program} from Docker's configuration file is not installed",
            hint="install it, or log in without it",
        ) from None
    except (OSError, subprocess.TimeoutExpired):
        raise NoAnswerError(f"{program} can't be run, or did not finish") from None
    if answer.returncode:
        if b"credentials not found" in answer.stdout + answer.stderr:
            return None
        raise NoAnswerError(f"{program} failed for {host} (exit status {answer.returncode})")
    try:
        login = _ANSWER.decode(answer.stdout)
    except ValueError:
        raise NoAnswerError(f"{program} printed invalid output") from None
    if login.username == "<token>":
        raise _identity_token(host)
    return Login(login.username, login.secret)
