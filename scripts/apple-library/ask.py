"""Asks an App Store Server API with the client of Apple's App Store Server Library.

The question is JSON: {"address", "environment", "key": file, "key_id", "issuer_id", "bundle_id", "apple_id", "root": file,
"transaction", "plan", "order", "token", "from", "until"}. The answer is JSON: what the client made of each answer, with
every signed text verified; of a refusal the status, the number and the library's name of it.
"""

import json
import ssl
import sys
import time

from appstoreserverlibrary.api_client import (
    APIException,
    AppStoreServerAPIClient,
    GetTransactionHistoryVersion,
)
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

PATIENCE = 30


def refusal(ask):
    try:
        ask()
    except APIException as error:
        return [error.http_status_code, error.raw_api_error, error.api_error.name if error.api_error else None]
    return None


class Conversation:
    def __init__(self, question: dict):
        self.question = question
        environment = Environment(question["environment"])
        with open(question["key"], "rb") as file:
            key = file.read()
        with open(question["root"], encoding="ascii") as file:
            root = ssl.PEM_cert_to_DER_cert(file.read())
        self.client = AppStoreServerAPIClient(
            key, question["key_id"], question["issuer_id"], question["bundle_id"], environment
        )
        self.client._base_url = question["address"]
        self.verifier = SignedDataVerifier(
            [root], False, environment, question["bundle_id"], question["apple_id"]
        )

    def transaction(self):
        answer = self.client.get_transaction_info(self.question["transaction"])
        return self.verifier.verify_and_decode_signed_transaction(answer.signedTransactionInfo)

    def history(self) -> dict:
        ids, pages, revision = [], [], None
        while True:
            page = self.client.get_transaction_history(
                self.question["transaction"],
                revision,
                TransactionHistoryRequest(sort=Order.ASCENDING),
                GetTransactionHistoryVersion.V2,
            )
            texts = page.signedTransactions
            ids += [self.verifier.verify_and_decode_signed_transaction(text).transactionId for text in texts]
            pages.append(len(texts))
            revision = page.revision
            if not page.hasMore:
                return {
                    "ids": ids,
                    "pages": pages,
                    "bundle_id": page.bundleId,
                    "environment": page.environment.value,
                }

    def statuses(self) -> list:
        chains = []
        for group in self.client.get_all_subscription_statuses(self.question["plan"]).data:
            for last in group.lastTransactions:
                renewal = self.verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
                newest = self.verifier.verify_and_decode_signed_transaction(last.signedTransactionInfo)
                chains.append(
                    [
                        group.subscriptionGroupIdentifier,
                        last.originalTransactionId,
                        last.status.name,
                        newest.transactionId,
                        renewal.autoRenewProductId,
                    ]
                )
        return chains

    def order(self, id: str) -> list:
        answer = self.client.look_up_order_id(id)
        decode = self.verifier.verify_and_decode_signed_transaction
        return [answer.status.name, [decode(text).transactionId for text in answer.signedTransactions]]

    def consume(self, transaction: str, consents: bool = True):
        self.client.send_consumption_information(
            transaction,
            ConsumptionRequest(
                customerConsented=consents,
                sampleContentProvided=False,
                deliveryStatus=DeliveryStatus.DELIVERED,
                consumptionPercentage=70_000,
            ),
        )

    def set_token(self, transaction: str, token: str):
        self.client.set_app_account_token(transaction, UpdateAppAccountTokenRequest(appAccountToken=token))

    def test(self) -> dict:
        token = self.client.request_test_notification().testNotificationToken
        end = time.monotonic() + PATIENCE
        while True:
            early = refusal(lambda: self.client.get_test_notification_status(token))
            if early is None or time.monotonic() > end:
                break
            time.sleep(0.1)
        answer = self.client.get_test_notification_status(token)
        sent = self.verifier.verify_and_decode_notification(answer.signedPayload)
        return {
            "type": sent.notificationType.value,
            "uuid": sent.notificationUUID,
            "attempts": [attempt.sendAttemptResult.name for attempt in answer.sendAttempts],
        }

    def notifications(self) -> dict:
        uuids, pages, token = [], [], None
        request = NotificationHistoryRequest(startDate=self.question["from"], endDate=self.question["until"])
        while True:
            page = self.client.get_notification_history(token, request)
            for item in page.notificationHistory:
                uuids.append(self.verifier.verify_and_decode_notification(item.signedPayload).notificationUUID)
            pages.append(len(page.notificationHistory))
            token = page.paginationToken
            if not page.hasMore:
                return {"uuids": uuids, "pages": pages}

    def answer(self) -> dict:
        sold, token = self.question["transaction"], self.question["token"]
        self.consume(sold)
        self.set_token(sold, token)
        told = self.transaction()
        return {
            "transaction": [told.transactionId, told.productId, told.appAccountToken],
            "history": self.history(),
            "statuses": self.statuses(),
            "order": self.order(self.question["order"]),
            "no_order": self.order("MNOTHING99"),
            "test": self.test(),
            "notifications": self.notifications(),
            "refusals": {
                "transaction": refusal(lambda: self.client.get_transaction_info("99")),
                "history": refusal(
                    lambda: self.client.get_transaction_history(
                        "99", None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
                    )
                ),
                "statuses": refusal(lambda: self.client.get_all_subscription_statuses("99")),
                "consent": refusal(lambda: self.consume(sold, consents=False)),
                "token": refusal(lambda: self.set_token(sold, "no UUID")),
                "not_original": refusal(lambda: self.set_token(self.question["plan"], token)),
                "test": refusal(lambda: self.client.get_test_notification_status(f"{token}_1")),
                "no_test": refusal(lambda: self.client.get_test_notification_status("x")),
                "dates": refusal(
                    lambda: self.client.get_notification_history(
                        None, NotificationHistoryRequest(startDate=2, endDate=1)
                    )
                ),
            },
        }


def main(question_path: str, answer_path: str):
    with open(question_path, encoding="utf-8") as file:
        conversation = Conversation(json.load(file))
    with open(answer_path, "w", encoding="utf-8") as file:
        json.dump(conversation.answer(), file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
