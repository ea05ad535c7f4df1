"""One connection that is kept, for latencies of single requests: it adds little of its own."""

import json
import socket


class KeptConnection:
    def __init__(self, server):
        self._socket = socket.create_connection(("127.0.0.1", server.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""

    def __enter__(self) -> "KeptConnection":
        return self

    def __exit__(self, *_):
        self._socket.close()

    def ask(self, request: bytes) -> tuple:
        """The status code of the answer, and its body."""
        self._socket.sendall(request)
        while (end := self._received.find(b"\r\n\r\n")) < 0:
            self._receive()
        head, start = self._received[:end].lower(), end + 4
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(self._received) < start + length:
            self._receive()
        body, self._received = self._received[start:start + length], self._received[start + length:]
        return int(head.split(b" ", 2)[1]), body

    def _receive(self):
        received = self._socket.recv(1 << 16)
        if not received:
            raise ConnectionError("the server closed the connection")
        self._received += received


def request(method: str, path: str, token: str, body=None, **fields: str) -> bytes:
    """The bytes of a request."""
    text = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    for name, value in fields.items():
        head += f"{name}: {value}\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
    return head.encode() + b"\r\n" + text
