"""Compares answers of REST with their schemas in openapi.json: ADDRESS TOKEN_FILE JOB ROWS.

Sends each GET request of the description for the job, and predicts ROWS. Prints "ok".
"""

import hashlib
import json
import sys
import time
import urllib.error
import urllib.request

from schema_check import Schemas

address, token_file, job, rows = sys.argv[1:]
with open(token_file, encoding="utf-8") as file:
    token = file.read().strip()


def send(method, path, body=None):
    request = urllib.request.Request(
        address + path, method=method,
        data=body if body is None or isinstance(body, bytes) else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


_, api = send("GET", "/api/v1/openapi.json")
schemas = Schemas(api, "#/components/schemas/")
checked = set()
imported = ""
BLOCK = hashlib.sha256(b"x").hexdigest()


def check(method, path, body=None, query=""):
    operation = api["paths"][path][method.lower()]
    path_sent = path
    for name, value in (("job", job), ("round", "last"), ("sha256", BLOCK),
                        ("import", imported)):
        path_sent = path_sent.replace("{" + name + "}", value)
    status, answer = send(method, path_sent + query, body)
    media = operation["responses"][str(status)]["content"]["application/json"]
    errors = schemas.errors(answer, media["schema"])
    assert not errors, (path, errors, str(answer)[:500])
    checked.add((method, path))
    return answer


imported = check("POST", "/api/v1/imports", b"a,y\n1,u\n2,v\n3,u\n", "?file=t.csv&label=y")["import"]
while check("GET", "/api/v1/imports/{import}")["state"] in ("WAITING", "RUNNING"):
    time.sleep(0.1)
for path, methods in api["paths"].items():
    content = methods.get("get", {"responses": {}})["responses"].get("200", {}).get("content", {})
    if "application/json" in content:
        check("GET", path, query="?job=" + job if path == "/api/v1/metrics" else "")
check("POST", "/api/v1/jobs/{job}/predictions", {"rows": json.loads(rows), "top_k": 2})
check("GET", "/api/v1/jobs/{job}/dataset/samples", query="?set=test&count=3")
copy = check("POST", "/api/v1/jobs", {"copy_of": job})["job"]
check("PUT", "/api/v1/blocks/{sha256}", b"x")
check("POST", "/api/v1/blocks/missing", {"sha256": [BLOCK, "0" * 64]})
assert check("DELETE", "/api/v1/imports/{import}")["state"] == "SUCCEEDED"
job = copy
for action in ("pause", "resume", "cancel"):
    check("POST", "/api/v1/jobs/{job}/" + action)

status, problem = send("GET", "/api/v1/jobs/nothing-7")
errors = schemas.errors(problem, {"$ref": "#/components/schemas/Problem"})
assert status == 404 and not errors, (status, errors)

# A later route with another answer must be checked here, too.
described = {(method.upper(), path) for path, methods in api["paths"].items()
             for method, operation in methods.items()
             if any("application/json" in response.get("content", {})
                    for response in operation["responses"].values())}
unchecked = {("POST", "/api/v1/jobs/{job}/checkpoint"), ("DELETE", "/api/v1/jobs/{job}"),
             ("POST", "/api/v1/jobs/{job}/checkpoints/{round}/pin"),
             ("POST", "/api/v1/jobs/{job}/checkpoints/{round}/unpin")}
assert described - checked == unchecked, described - checked
print("ok")
