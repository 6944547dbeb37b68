"""The stand-in for Ollama as a process of its own, for tests that are not in Python.

    python -m tests.ollama_process

Answers 1 to everything, until it is killed. Prints its address, and then the model of each request for text.
"""

from __future__ import annotations

import time

from tests.fake_ollama import FakeOllama, answer


def main() -> None:
    told = 0
    with FakeOllama({"generate": [answer("1")]}) as fake:
        print(fake.host, flush=True)
        while True:
            for body in fake.generates()[told:]:
                told += 1
                print(body["model"], flush=True)
            time.sleep(0.02)


if __name__ == "__main__":
    main()
