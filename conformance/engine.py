"""A program that answers requests: one JSON request per line, one JSON answer per line."""

import json
import subprocess


class Engine:
    def __init__(self, *command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, **request):
        """The answer to a request. A program that ends without one has panicked."""
        text = json.dumps(request)
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            name = " ".join(map(str, self.process.args))
            raise SystemExit(f"{name} ended with code {self.process.wait()} on {text[:300]}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
