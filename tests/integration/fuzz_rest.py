"""Sends requests that it makes from the description of the API: ADDRESS TOKEN_FILE JOB ROUND.

Values are valid, at the limits, or wrong. No answer may be an error of the server or take long.
Prints "ok N", the number of requests.
"""

import hashlib
import http.client
import json
import random
import sys
import urllib.parse

address, token_file, job, checkpoint = sys.argv[1:]
host = urllib.parse.urlsplit(address).netloc
with open(token_file, encoding="utf-8") as file:
    token = file.read().strip()
draw = random.Random(7)
LIMIT = 60  # seconds for one answer
EMPTY = hashlib.sha256().hexdigest()
# The master says that it cannot do this, or that it is busy. Both are no faults.
ALLOWED = (501, 503)

WRONG = ["", "-1", "0", "1", "9223372036854775807", "9223372036854775808", "1e3", "nan", "*", "a,b",
         "\u00fc", "%", "../..", "x" * 300, "null", "{}", "1;2", "train", "test", "best", "last"]
VALUES = [None, True, 0, -1, 1.5, 1e308, "", "x", [], {}, [[]], [None], {"rows": 1}, [1] * 50]


def send(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(host, timeout=LIMIT)
    head = {"Authorization": "Bearer " + token, **(headers or {})}
    try:
        connection.request(method, path, body=body, headers=head)
        answer = connection.getresponse()
        # Streams do not end.
        is_stream = answer.getheader("Content-Type") == "text/event-stream"
        return answer.status, b"" if is_stream else answer.read()
    finally:
        connection.close()


def value_for(schema):
    """Returns the text of a parameter."""
    if draw.random() < 0.5:
        return draw.choice(WRONG)
    if schema.get("type") == "integer":
        least, most = schema.get("minimum", 0), schema.get("maximum", 1000)
        return str(draw.choice([least, most, draw.randint(least, most), least - 1, most + 1]))
    return draw.choice(["train", "test", "running", "train/loss", "*", "mlp", "avx2"])


def body_for(schema):
    """Returns JSON that fits the schema, or nearly."""
    if draw.random() < 0.15:
        return draw.choice(["", "{", "[" * 100, "\xff", "null", "[]", "{\"rows\":"])
    body = {}
    for name, inner in schema.get("properties", {}).items():
        if name not in schema.get("required", []) and draw.random() < 0.6:
            continue
        if name == "copy_of":
            body[name] = draw.choice([job, "nothing-7", 7])
        elif name == "sha256":
            body[name] = draw.choice([[], [EMPTY], [EMPTY, "x"] * 20, ["\u00fc"], EMPTY])
        elif name == "spec":
            body[name] = draw.choice([{}, {"data": 1}, [], "x", {"no": "such"}])
        elif name == "rows":
            row = draw.choice(VALUES + [{"a": 1}, [0] * 144, [255] * 144])
            body[name] = draw.choice([[row], [row] * 3, row])
        elif draw.random() < 0.5 and inner.get("type") == "integer":
            body[name] = draw.choice([0, 1, 2, 10 ** 9, -5])
        else:
            body[name] = draw.choice(VALUES)
    if draw.random() < 0.1:
        body["unknown"] = 1
    # A submission would start a job.
    if "copy_of" in body or "spec" in body:
        body["set"] = draw.choice([{"no.such": 1}, {"": 1}, [], {"training.epochs": -1}])
    return json.dumps(body)


def path_for(path, method):
    # The job that exists is not deleted, because other requests read it.
    jobs = ["nothing-7", "%00", "\u00fc", "x" * 200] + ([] if method == "DELETE" else [job] * 6)
    values = {"job": jobs, "round": [checkpoint, "best", "last", "-1", "1e9", "1~1", "x", "@"],
              "sha256": [EMPTY, EMPTY.upper(), "0" * 64, "x" * 200, "\u00fc"]}
    for name, choices in values.items():
        path = path.replace("{" + name + "}", urllib.parse.quote(draw.choice(choices), safe="%"))
    return path


status, text = send("GET", "/api/v1/openapi.json")
assert status == 200, status
api = json.loads(text)
sent = 0
seen = {}
for path, methods in sorted(api["paths"].items()):
    for method, operation in sorted(methods.items()):
        for _ in range(12):
            query = [(one["name"], value_for(one["schema"]))
                     for one in operation.get("parameters", [])
                     if one["in"] == "query" and draw.random() < 0.6]
            if draw.random() < 0.1:
                query.append(draw.choice([("unknown", "1"), ("first", "1"), ("", "")]))
            target = path_for(path, method.upper())
            if query:
                target += "?" + urllib.parse.urlencode(query)
            body = None
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]
                if "application/json" in content:
                    body = body_for(content["application/json"]["schema"])
                else:
                    body = draw.choice(["", "x", "\xff" * 1000])
            elif method != "get":
                body = draw.choice([None, None, "", "x"])
            headers = {}
            if draw.random() < 0.2:
                headers["Range"] = draw.choice(["bytes=0-", "bytes=5-1", "bytes=-0", "x", "bytes="])
                headers["Last-Event-ID"] = draw.choice(["1", "-1", "x"])
            shown = (method, target, body, headers)
            status, answer = send(method.upper(), target, body and body.encode("latin-1", "replace"),
                                  headers)
            assert status < 500 or status in ALLOWED, (status, answer[:300], shown)
            if status >= 400:
                problem = json.loads(answer)
                assert problem["status"] == status and problem["detail"], (answer, shown)
            else:
                seen[method, path] = status
            sent += 1

# Most routes have answered at least once, so the requests are not all wrong.
assert len(seen) >= 18, seen
status, _ = send("GET", "/readyz")
assert status == 200, status
print("ok", sent)
