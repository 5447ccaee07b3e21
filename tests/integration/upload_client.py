"""Uploads data to a real master: ADDRESS TOKEN_FILE READ_TOKEN_FILE EARLIER_ADDRESS EARLIER_TOKEN_FILE
JOB FOLDER.

JOB has ended on another master, the one at EARLIER_ADDRESS, and read images of FOLDER. Prints "ok".
"""

import hashlib
import http.client
import os
import random
import socket
import struct
import sys
import threading
import urllib.parse

import paravane
import paravane_data

address, token_file, read_file, earlier_address, earlier_token_file, job, folder = sys.argv[1:]
master = paravane.Master(address, token_file=token_file)
reader = paravane.Master(address, token_file=read_file)
earlier = paravane.Master(earlier_address, token_file=earlier_token_file)
with open(token_file, encoding="utf-8") as file:
    token = file.read().strip()
host = urllib.parse.urlsplit(address)


def missing(names):
    return master._json("POST", "/api/v1/blocks/missing", body={"sha256": names})["missing"]


def refused(call, status, text=""):
    try:
        call()
    except paravane.Error as error:
        assert error.status == status and text in str(error), (error.status, str(error))
        return error
    raise AssertionError(f"no error of status {status}")


def head_of(name, length):
    return (f"PUT /api/v1/blocks/{name} HTTP/1.1\r\nHost: {host.netloc}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n").encode()


def put(name, content):
    return master._json("PUT", "/api/v1/blocks/" + name, body=content)


# A dataset of several blocks, which two clients send at once.
draw = random.Random(7)
rows = [draw.randbytes(20_000) for _ in range(120)]
large = paravane_data.Dataset(rows, [n % 3 for n in range(120)], classes=3)
blocks = dict(large.blocks())
assert len(blocks) == 3, len(blocks)
assert missing(list(blocks)) == list(blocks)
sent = []
clients = [threading.Thread(target=lambda: sent.append(master.upload(large))) for _ in range(2)]
for client in clients:
    client.start()
for client in clients:
    client.join()
assert len(sent) == 2 and max(sent) >= 1, sent
assert missing(list(blocks)) == []
assert master.upload(large) == 0, "blocks that have arrived are not sent again"

# A body that breaks off stores nothing, and the upload can be repeated.
content = draw.randbytes(300_000)
name = hashlib.sha256(content).hexdigest()
with socket.create_connection((host.hostname, host.port)) as connection:
    connection.sendall(head_of(name, len(content)) + content[:150_000])
assert missing([name]) == [name]
assert put(name, content) == {"sha256": name, "bytes": len(content)}
assert missing([name]) == []

# Contents that are not what their name says.
other = "0" * 64
error = refused(lambda: put(other, content), 400, "does not match")
assert error.code == "invalid_argument", error.code
refused(lambda: put(name, content[:-1]), 400, "does not match")
refused(lambda: put(name.upper(), content), 400)
refused(lambda: put("x", content), 400)
assert missing([other]) == [other]

# Too large, and refused before it is sent.
connection = http.client.HTTPConnection(host.hostname, host.port)
connection.putrequest("PUT", "/api/v1/blocks/" + other)
connection.putheader("Authorization", "Bearer " + token)
connection.putheader("Content-Length", str((64 << 20) + 1))
connection.endheaders()
answer = connection.getresponse()
assert answer.status == 413 and b"dl-submit import" in answer.read(), answer.status
assert answer.getheader("Content-Type") == "application/problem+json"

# Larger than the share of a token allows for bodies in memory.
large_block = b"\1" * ((16 << 20) + 1)
name = hashlib.sha256(large_block).hexdigest()
assert put(name, large_block) == {"sha256": name, "bytes": len(large_block)}
assert missing([name]) == []
with socket.create_connection((host.hostname, host.port)) as connection:
    connection.sendall(head_of(other, len(large_block)) + large_block[:1 << 20])
    refused(lambda: put(other, large_block), 429, "another client")

# The share of a token is 32 MiB, and a body counts twice: one body of 16 MiB fits, two do not.
full = b"\0" * (16 << 20)
name = hashlib.sha256(full).hexdigest()
with socket.create_connection((host.hostname, host.port)) as connection:
    connection.sendall(head_of(name, len(full)) + full[:-1])
    refused(lambda: put(other, content), 429)
    connection.sendall(full[-1:])
    assert connection.makefile("rb").readline().startswith(b"HTTP/1.1 200 ")
assert missing([name]) == []

# A role that may not submit, no role, and unknown parameters.
refused(lambda: reader._json("PUT", "/api/v1/blocks/" + name, body=full[:9]), 403, "role")
refused(lambda: reader._json("POST", "/api/v1/blocks/missing", body={"sha256": [name]}), 403)
stranger = paravane.Master(address)
refused(lambda: stranger._json("PUT", "/api/v1/blocks/" + name, body=b"x"), 401)
refused(lambda: master._json("PUT", "/api/v1/blocks/" + name, {"x": 1}, b"x"), 400, "unknown")


# The images of the earlier job give the manifests that dl-submit made of the files.
def idx(path):
    with open(os.path.join(folder, path), "rb") as file:
        content = file.read()
    shape = struct.unpack(f">{content[3]}I", content[4:4 + 4 * content[3]])
    values = content[4 + 4 * content[3]:]
    size = len(values) // shape[0]
    return [values[at:at + size] for at in range(0, len(values), size)]


def labels(path):
    return [label[0] for label in idx(path)]


spec = earlier.spec(job)
normalizer = earlier._json("GET", earlier._path(job, "dataset"))["train"]["normalizer"]
known = spec.pop("data")
train = paravane_data.Dataset(idx("train-images.idx"), labels("train-labels.idx"), classes=4,
                              shape=[1, 12, 12], normalizer=normalizer)
test = paravane_data.Dataset(idx("test-images.idx"), labels("test-labels.idx"), training=train)
for dataset, imported in ((train, known["train"]), (test, known["test"])):
    reference = dataset.reference()
    assert {key: imported[key] for key in reference} == reference, (reference, imported)

# A job whose blocks are missing is refused, and one on uploaded data gives the same bits.
body = {"spec": {**spec, "data": {"train": train.reference(), "test": test.reference(),
                                  "normalizer": train.normalizer}},
        "train_manifest": train.manifest, "test_manifest": test.manifest}
submit = lambda sent: master._json("POST", "/api/v1/jobs", body=sent)
refused(lambda: submit(body), 409, "block")
assert master.upload(train) == 1
refused(lambda: submit({**body, "train_manifest": train.manifest + " "}), 400, "hash")
ours = master.submit(spec=spec, train=train, test=test, request_id="one")
assert master.submit(spec=spec, train=train, test=test, request_id="one") == ours
result, before = master.wait(ours, timeout=600), earlier.result(job)
assert result["state"] == "SUCCEEDED", result
assert result["state_sha256"] == before["state_sha256"], (result, before)
assert result["metrics"] == before["metrics"], (result, before)
ended = {**master.spec(ours), "data": None}
assert ended == {**earlier.spec(job), "data": None}, ended

# Numbers to predict, and rows of numbers. The model sees the rows as they are.
line = [[n / 50 - 1, (n % 7) / 7] for n in range(100)]
dataset = paravane_data.Dataset(line, [2 * x - y for x, y in line])
model = {"input": {"type": "feed_forward", "features": 2},
         "updater": {"type": "adam", "learning_rate": 0.05},
         "layers": [{"type": "output", "units": 1, "loss": "mean_squared_error"}]}
fitted = master.submit(spec={"name": "line", "model": model}, train=dataset,
                       set={"training.epochs": 30, "training.batch_size": 10})
assert master.wait(fitted, timeout=600)["metrics"]["train"]["loss"] < 0.1
assert master.samples(fitted, count=1)[0]["values"], "samples"
for wrong in (lambda: paravane_data.Dataset([], []), lambda: paravane_data.Dataset([[1]], [5], classes=3),
              lambda: paravane_data.Dataset([[1], [1, 2]], [0, 1], classes=2),
              lambda: paravane_data.Dataset([[float("nan")]], [0], classes=2),
              lambda: master.submit(spec=spec), lambda: master.submit(copy_of=ours, test=test),
              lambda: master.submit(spec={"data": {}}, train=train)):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError("wrong data are no error")
print("ok")
