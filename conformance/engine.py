"""The program under test: one JSON request a line, one JSON answer a line."""

import json
import subprocess


class Engine:
    def __init__(self, binary):
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, **request):
        """The answer to a request. A program that ends without one has panicked."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the program ended with code {self.process.wait()} on {request['file']}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
