"""Tries wait() of clients/python/paravane.py on a server that restarts."""

import http.server
import json
import threading

import paravane


class Server:
    """Answers GET /api/v1/jobs/... with one status and body, on a port of its own or a given one."""

    def __init__(self, status, body, port=0):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                answered.set()

            def log_message(self, *arguments):
                pass

        answered = self.answered = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def expect_error(function, kind):
    try:
        function()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


server = Server(200, {"state": "RUNNING"})
master = paravane.Master(f"http://127.0.0.1:{server.port}", token="x")
outcome = []
waiter = threading.Thread(target=lambda: outcome.append(master.wait("job")))
waiter.start()
assert server.answered.wait(60)
server.close()  # the master ends, ...
server = Server(503, {"status": 503, "detail": "starting"}, server.port)
assert server.answered.wait(60)  # ... is busy, ...
server.close()
server = Server(200, {"state": "SUCCEEDED"}, server.port)  # ... and goes on
waiter.join(60)
assert outcome == [{"state": "SUCCEEDED"}], outcome
server.close()

# Without an answer, the error comes after the patience; of the first request it comes at once.
server = Server(200, {"state": "RUNNING"})
master = paravane.Master(f"http://127.0.0.1:{server.port}", token="x")
waiter = threading.Thread(
    target=lambda: outcome.append(expect_error(lambda: master.wait("job", patience=0), OSError)))
waiter.start()
assert server.answered.wait(60)
server.close()
waiter.join(60)
assert len(outcome) == 2, outcome
expect_error(lambda: master.wait("job"), OSError)

for status, body in ((200, {"state": "INTERRUPTED"}), (404, {"status": 404, "detail": "no job"})):
    server = Server(status, body)
    master = paravane.Master(f"http://127.0.0.1:{server.port}", token="x")
    expect_error(lambda: master.wait("job"), paravane.Error)
    server.close()

print("ok")
