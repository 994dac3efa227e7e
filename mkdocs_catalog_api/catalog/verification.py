"""How a consumer verifies an image or a chart: what the author declares, and the command made of it."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from ..problems import RefusedError
from .links import web_link
from .types import Text

if TYPE_CHECKING:
    from .models import ChartVersionEntry, VersionEntry


def _https(value: str) -> str:
    if not web_link(value).lower().startswith("https://"):
        raise RefusedError(f"{value[:80]!r} is not an https address", "it must start with https://")
    return value


def _anchored(value: str) -> str:
    """cosign finds an expression anywhere in the identity, so one without `^` lets strangers in."""
    if not value.startswith("^"):
        raise RefusedError(f"{value[:80]!r} does not begin with ^", f"write {'^' + value[:80]!r}")
    try:
        re.compile(value)
    except re.error as error:
        raise RefusedError(
            f"{value[:80]!r} is not a regular expression: {error}", r"write \\ before a literal sign"
        ) from None
    return value


Https = Annotated[Text, AfterValidator(_https)]


class Verification(BaseModel):
    """Who signs: an identity of a certificate and its issuer, or the address of a public key."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    identity: Text | None = None
    """Identity in the certificate, such as the address of a workflow or an e-mail address."""
    identity_regexp: Annotated[Text, AfterValidator(_anchored)] | None = None
    """Regular expression that the identity must match; it begins with ^."""
    issuer: Https | None = None
    """OIDC issuer of the certificate (https)."""
    key: Https | None = None
    """Address of the public key (https), instead of identity and issuer."""

    @model_validator(mode="before")
    @classmethod
    def _as_in_json(cls, value: Any) -> Any:
        """`identityRegexp`, as the API writes it, will do as well."""
        if not isinstance(value, dict) or "identity_regexp" in value:
            return value
        return {"identity_regexp" if key == "identityRegexp" else key: item for key, item in value.items()}

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        named = [name for name in ("identity", "identity_regexp") if getattr(self, name) is not None]
        if self.key is not None:
            if named or self.issuer is not None:
                raise RefusedError("a `key` needs no identity and no issuer", "keep one way to verify")
        elif len(named) != 1:
            how = "`identity` and `identity_regexp` exclude each other" if named else "nothing says who signs"
            raise RefusedError(how, "give `identity` or `identity_regexp` with `issuer`, or `key` alone")
        elif self.issuer is None:
            hint = "add `issuer: https://token.actions.githubusercontent.com`, or that of your signer"
            raise RefusedError("an identity means nothing without its `issuer`", hint)
        return self

    def command(self, reference: str) -> str:
        """The cosign command that verifies a reference by digest or tag, quoted for a POSIX shell."""
        options = {
            "--key": self.key,
            "--certificate-identity": self.identity,
            "--certificate-identity-regexp": self.identity_regexp,
            "--certificate-oidc-issuer": self.issuer,
        }
        given = [word for option, value in options.items() if value is not None for word in (option, value)]
        return shlex.join(["cosign", "verify", *given, reference])


def image_reference(image: str, version: VersionEntry | None) -> str:
    """The newest release of an image, by its digest where it has exactly one, else by its tag."""
    if version is None:
        return image
    return f"{image}@{version.only_digest}" if version.only_digest else f"{image}:{version.version}"


def chart_reference(chart: str | None, version: ChartVersionEntry | None) -> str | None:
    """The newest release of a chart likewise; None when it lies in no OCI registry, where cosign looks."""
    if chart is None or chart.lower().startswith(("http://", "https://")):
        return None
    name = chart.removeprefix("oci://")
    if version is None or "@" in name or ":" in name.rpartition("/")[2]:
        return name
    # Helm writes the + of a version, which no tag may hold, as _.
    return f"{name}@{version.digest}" if version.digest else f"{name}:{version.version.replace('+', '_')}"
