"""Apple's own library, in the mode in which it caches verified chains."""

import hashlib
from dataclasses import dataclass

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import (
    SignedDataVerifier,
    VerificationException,
    VerificationStatus,
    _ChainVerifier,
)

MAXIMUM_JWS_BYTES = 16 * 1024


class EvidenceInvalid(Exception):
    def __init__(self, code: str, reason: str | None = None):
        super().__init__(code)
        self.code = code
        self.reason = reason


@dataclass(slots=True)
class Purchase:
    """One signed state of one transaction."""

    app: str
    environment: str
    transaction_id: str
    original_transaction_id: str
    period_id: str | None
    product_id: str
    product_type: str
    purchased_at: int
    originally_purchased_at: int
    expires_at: int | None
    quantity: int
    is_family_shared: int
    is_upgraded: int
    revoked_at: int | None
    share: int | None
    account_token: bytes | None
    app_transaction_id: str | None
    signed_at: int
    jws: str = ""

    @property
    def key(self) -> tuple:
        return ("apple_iap", self.app, self.environment, self.original_transaction_id)

    def content_hash(self) -> bytes:
        fields = (
            self.app, self.environment, self.transaction_id, self.original_transaction_id, self.period_id,
            self.product_id, self.product_type, self.purchased_at, self.originally_purchased_at, self.expires_at,
            self.quantity, self.is_family_shared, self.is_upgraded, self.revoked_at, self.share, self.account_token,
            self.app_transaction_id,
        )
        return hashlib.sha256(repr(fields).encode()).digest()


def read_root(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


class EvidenceVerifier:
    def __init__(self, root_certificate: str, bundle_id: str, app_apple_id: int):
        # The library caches chains only with online checks on. Apple's responder is answered for here, with "good": a
        # call every 15 minutes would not show in a rate, and the development authority has no responder.
        _ChainVerifier.check_ocsp_status = lambda self, cert, issuer, root: None
        self._verifier = SignedDataVerifier(
            [read_root(root_certificate)], True, Environment.PRODUCTION, bundle_id, app_apple_id
        )

    def verify(self, jws: str) -> Purchase:
        try:
            payload = self._verifier.verify_and_decode_signed_transaction(jws)
        except VerificationException as error:
            if error.status == VerificationStatus.INVALID_APP_IDENTIFIER:
                raise EvidenceInvalid("wrong_app") from error
            if error.status == VerificationStatus.INVALID_ENVIRONMENT:
                raise EvidenceInvalid("wrong_environment") from error
            raise EvidenceInvalid("evidence_invalid", "signature_mismatch") from error
        required = (
            payload.transactionId, payload.originalTransactionId, payload.productId, payload.purchaseDate,
            payload.signedDate, payload.rawType,
        )
        if any(field is None for field in required):
            raise EvidenceInvalid("evidence_invalid", "payload_malformed")
        revoked_at = payload.revocationDate
        percentage = payload.revocationPercentage
        token = payload.appAccountToken
        return Purchase(
            app=payload.bundleId,
            environment=payload.rawEnvironment,
            transaction_id=payload.transactionId,
            original_transaction_id=payload.originalTransactionId,
            period_id=payload.webOrderLineItemId,
            product_id=payload.productId,
            product_type=payload.rawType,
            purchased_at=payload.purchaseDate,
            originally_purchased_at=payload.originalPurchaseDate or payload.purchaseDate,
            expires_at=payload.expiresDate,
            quantity=payload.quantity or 1,
            is_family_shared=int(payload.rawInAppOwnershipType == "FAMILY_SHARED"),
            is_upgraded=int(bool(payload.isUpgraded)),
            revoked_at=revoked_at,
            share=None if revoked_at is None else percentage or 100_000,
            account_token=bytes.fromhex(token.replace("-", "")) if token else None,
            app_transaction_id=payload.appTransactionId,
            signed_at=payload.signedDate,
            jws=jws,
        )
