"""An outbox for StoreKit's transactions: it follows `finish` and `retry` alone (api.md, "When to finish, when to send
again").

It knows no code, no status and no reason. What it needs of the app:

* store: `unfinished()` gives the transactions that StoreKit brings, each with an `id` and its signed `text`;
  `finish(id)` ends one; `proof()` is the signed app transaction, or None.
* login: `token()` is the bearer token of who is signed in; `ask()` asks for a sign-in, after which the app calls
  `signed_in()`.
* clock: `now()` in seconds, `wait(seconds)`.
"""

import collections
import http.client
import json

DAY = 86_400
# Of one start of the app: how often it tries, and how many seconds it waits for the next try.
TRIES, PATIENCE = 8, 60
# A restore may have 500 items and 4 MiB.
MOST_ITEMS, MOST_BYTES = 500, 4_000_000

# What an answer says of one transaction.
Verdict = collections.namedtuple("Verdict", ["finish", "retry", "retry_after"])


def verdict(members):
    finish, retry, seconds = members.get("finish"), members.get("retry"), members.get("retry_after")
    return Verdict(finish is True, retry, seconds if isinstance(seconds, int) else None)


# The members by which an answer is known.
OURS = {"finish", "retry", "results"}
# No answer came, or none of Gatepass's.
UNHEARD = Verdict(False, "later", None)


class Outbox:
    def __init__(self, host, port, store, login, clock, connect=http.client.HTTPConnection):
        self.host, self.port, self.connect = host, port, connect
        self.store, self.login, self.clock = store, login, clock
        # Until when a transaction is left alone; an app keeps it over its starts.
        self.resting = {}
        # What waits for a sign-in.
        self.waiting = set()

    def signed_in(self):
        """Somebody signed in: what waited for that is due again."""
        self.waiting.clear()

    def start(self, restores=False):
        """At a start of the app, after a sign-in and when StoreKit brings something: one attempt for each transaction
        that is due, one by one or all in restores."""
        due = [each for each in self.store.unfinished() if self.is_due(each)]
        if restores:
            self.settle(due, self.restore)
        else:
            for transaction in due:
                self.settle([transaction], self.attach)
        if self.waiting:
            self.login.ask()

    def is_due(self, transaction):
        return transaction.id not in self.waiting and self.resting.get(transaction.id, 0) <= self.clock.now()

    def settle(self, transactions, send):
        """Sends until nothing says `later` or `with_proof`, or for so many tries; the rest comes at the next start."""
        proof, pause = None, 1
        for _ in range(TRIES):
            if not transactions:
                break
            later, unproven, seconds = [], [], 0
            for transaction, said in send(transactions, proof):
                if said.finish:
                    self.store.finish(transaction.id)
                elif said.retry == "later" and (said.retry_after or 0) <= PATIENCE:
                    later.append(transaction)
                    seconds = max(seconds, said.retry_after or 0)
                elif said.retry == "later":
                    self.rest(transaction, said.retry_after)
                elif said.retry == "with_proof" and proof is None and self.store.proof():
                    unproven.append(transaction)
                elif said.retry in ("after_sign_in", "with_proof"):
                    self.waiting.add(transaction.id)
                else:
                    self.rest(transaction, DAY)
            if unproven:
                proof = self.store.proof()
            elif later:
                self.clock.wait(seconds or pause)
                pause *= 2
            # Those that say `later` go again without the refused ones.
            transactions = later + unproven

    def rest(self, transaction, seconds):
        self.resting[transaction.id] = self.clock.now() + seconds

    # Sending

    def attach(self, transactions, proof):
        for transaction in transactions:
            answer = self.post("/api/iap/apple/transactions/attach", {"signedTransactionJWS": transaction.text}, proof)
            yield transaction, UNHEARD if answer is None else verdict(answer)

    def restore(self, transactions, proof):
        for part in parts(transactions):
            body = {"signedTransactions": [each.text for each in part]}
            answer = self.post("/api/iap/apple/restore", body, proof)
            if answer is None or "results" not in answer:
                # What is said of the request is said of each item.
                said = UNHEARD if answer is None else verdict(answer)
                yield from ((each, said) for each in part)
            else:
                yield from ((part[item["index"]], verdict(item)) for item in answer["results"])

    def post(self, path, body, proof):
        """The answer; None where none came, or none of Gatepass's."""
        if proof is not None:
            body["signedAppTransaction"] = proof
        fields = {"Authorization": "Bearer " + self.login.token(), "Content-Type": "application/json"}
        connection = self.connect(self.host, self.port, timeout=60)
        try:
            connection.request("POST", path, json.dumps(body).encode(), fields)
            answer = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
        return answer if isinstance(answer, dict) and OURS & answer.keys() else None


def parts(transactions):
    """Restores of so many items and so many bytes."""
    part, size = [], 0
    for transaction in transactions:
        length = len(transaction.text) + 4
        if part and (len(part) == MOST_ITEMS or size + length > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(transaction)
        size += length
    if part:
        yield part
