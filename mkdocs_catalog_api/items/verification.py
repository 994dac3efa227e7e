"""Verification of an image or a chart: the author's declaration and the command derived from it."""

import shlex
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ..problems import RefusedError
from .types import HttpsLink, Text, expression


def _anchored(value: str) -> str:
    """cosign matches an expression anywhere in the identity, so one without `^` accepts strangers."""
    if not value.startswith("^"):
        raise RefusedError(f"{value[:80]!r} does not begin with ^", f"write {'^' + value[:80]!r}")
    return expression(value, r"write \\ before a literal character")


class Verification(BaseModel):
    """The signer: an identity of a certificate with its issuer, or the URL of a public key."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    identity: Text | None = Field(
        None,
        description="Identity in the certificate, such as the URL of a workflow or an e-mail address.",
    )
    identity_regexp: Annotated[Text, AfterValidator(_anchored)] | None = Field(
        None, description="Regular expression that the identity must match; it begins with ^."
    )
    issuer: HttpsLink | None = Field(None, description="OIDC issuer of the certificate (https).")
    key: HttpsLink | None = Field(
        None, description="URL of the public key (https), instead of identity and issuer."
    )

    @model_validator(mode="before")
    @classmethod
    def _as_in_json(cls, value: Any) -> Any:
        """Also accept `identityRegexp`, the spelling of the API."""
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
            how = "`identity` and `identity_regexp` can't be combined" if named else "the signer is missing"
            raise RefusedError(how, "set `identity` or `identity_regexp` with `issuer`, or only `key`")
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
