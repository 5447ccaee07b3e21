"""Sends files to a real master: ADDRESS DATA_DIR ANN_TOKEN_FILE BOB_TOKEN_FILE READ_TOKEN_FILE FOLDER
DL_SUBMIT.

The master has --max-upload 4M and an executor. Prints "ok".
"""

import gzip
import io
import json
import os
import random
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile
import zlib

import paravane

address, data_dir, ann_file, bob_file, read_file, folder, dl_submit = sys.argv[1:]
ann = paravane.Master(address, token_file=ann_file)
bob = paravane.Master(address, token_file=bob_file)
reader = paravane.Master(address, token_file=read_file)
draw = random.Random(7)


def write(name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def refused(call, text, status=None):
    try:
        call()
    except paravane.Error as error:
        assert text in str(error), str(error)
        assert status is None or error.status == status, (error.status, str(error))
        return error
    raise AssertionError(f"no error with {text}")


def imported_by_command(path, *flags):
    """Returns the documents that dl-submit import prints, with paths as the master shows them."""
    done = subprocess.run([dl_submit, "import", path, "--json", "--master", "local[1]", "--data-dir",
                           os.path.join(folder, "other"), *flags], capture_output=True, text=True,
                          check=False)
    return [json.loads(line.replace(folder + "/", "")) for line in done.stdout.splitlines()]


# A table, with a test set. The sets are those of the command, with the same doubts.
rows = [(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(600)]
table = write("train.csv", "id,x1,x2,kind\n" + "".join(
    f"{n},{x:.4f},{y:.4f},{'in' if x * x + y * y < 1.3 else 'out'}\n"
    for n, (x, y) in enumerate(rows)))
data = ann.upload(table, label="kind", test_fraction=0.2, normalizer="standardize")
assert data["state"] == "SUCCEEDED" and data["file"] == "train.csv", data
assert data["owner"] == "ann" and data["bytes"] == os.path.getsize(table), data
expected = imported_by_command(table, "--label", "kind", "--test-fraction", "0.2", "--normalizer",
                               "standardize")
assert data["sets"] == expected, (data["sets"], expected)
assert [part["set"] for part in expected] == ["train", "test"] and expected[0]["table"], expected
assert [part["examples"] for part in expected] == [480, 120], expected
assert data_dir not in json.dumps(data), "paths of the master are no concern of clients"

# A job on it succeeds, and learns.
spec = {"name": "circle", "model": {
    "input": {"type": "feed_forward", "features": 2},
    "updater": {"type": "adam", "learning_rate": 0.02},
    "layers": [{"type": "dense", "units": 16, "activation": "relu"},
               {"type": "output", "units": 2, "loss": "softmax_cross_entropy"}]}}
job = ann.submit(spec=spec, train=data, set={"training.epochs": 60, "training.batch_size": 20})
result = ann.wait(job, timeout=600)
assert result["state"] == "SUCCEEDED", result
assert result["metrics"]["test"]["accuracy"] > 0.8, result
assert ann.samples(job, count=1)[0]["values"], "samples"

# Sent again: the same sets. Numbers to predict, a file of another format, and compression.
assert ann.upload(table, label="kind", test_fraction=0.2,
                  normalizer="standardize")["sets"] == expected
regression = ann.upload(write("line.csv.gz", gzip.compress(("x,y\n" + "".join(
    f"{n / 50},{n / 25 + 1}\n" for n in range(200))).encode())),
    label="y", regression=True, target_normalizer="standardize")
spec = {"name": "line", "model": {
    "input": {"type": "feed_forward", "features": 1},
    "layers": [{"type": "output", "units": 1, "loss": "mean_squared_error"}]}}
line = ann.submit(spec=spec, train=regression)
assert ann.wait(line, timeout=600)["state"] == "SUCCEEDED"
assert ann.spec(line)["training"]["target_normalizer"] == "standardize"


def npy(shape, kind, content):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + content


arrays = os.path.join(folder, "numbers.npz")
with zipfile.ZipFile(arrays, "w") as archive:
    archive.writestr("x.npy", npy("(40, 3)", "<f4", struct.pack("<120f", *range(120))))
    archive.writestr("y.npy", npy("(40,)", "<f8", struct.pack("<40d", *(n + 0.5 for n in range(40)))))
numbers = ann.upload(arrays)["sets"]
assert numbers == imported_by_command(arrays) and "fractions" in numbers[0]["notes"][0], numbers


# Archives of images are read as the folder that was packed.
def png(color):
    def chunk(kind, content):
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
    rows_of = b"".join(b"\0" + bytes(color) * 8 for _ in range(8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows_of)) + chunk(b"IEND", b""))


def tar(entries, name):
    path = os.path.join(folder, name)
    with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as packed:
        for entry, content in entries:
            info = tarfile.TarInfo(entry)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                packed.addfile(info)
            else:
                info.size = len(content)
                packed.addfile(info, io.BytesIO(content))
    return path


images = {f"{name}/{n}.png": png([n * 9, base, 255 - n]) for n in range(10)
          for name, base in (("cat", 10), ("dog", 200))}
for name, content in images.items():
    os.makedirs(os.path.join(folder, "photos", os.path.dirname(name)), exist_ok=True)
    write("photos/" + name, content)
photos = imported_by_command(os.path.join(folder, "photos"), "--image-size", "8x8")
assert photos[0]["examples"] == 20 and photos[0]["schema"]["class_names"] == ["cat", "dog"], photos
packed = os.path.join(folder, "photos.zip")
with zipfile.ZipFile(packed, "w") as archive:
    for name, content in images.items():
        archive.writestr("photos/" + name, content)
for path in (packed, tar(images.items(), "photos.tar"), tar(images.items(), "photos.tgz")):
    sent = ann.upload(path, image_size="8x8")
    assert sent["sets"] == photos, (path, sent, photos)
model = {"input": {"type": "image", "channels": 3, "height": 8, "width": 8},
         "layers": [{"type": "output", "units": 2, "loss": "softmax_cross_entropy"}]}
assert ann.wait(ann.submit(spec={"name": "photos", "model": model}, train=sent),
                timeout=600)["state"] == "SUCCEEDED"
good = [("cat/1.png", png([1, 2, 3])), ("dog/1.png", png([3, 2, 1]))]
for bad in (("../1.png", b"x"), ("/tmp/1.png", b"x"), ("cat/2.png", "/etc/passwd"),
            ("cat/1.png", b"twice"), ("cat/" + "x" * 4096, b"x")):
    refused(lambda: ann.upload(tar(good + [bad], "bad.tar"), image_size="8x8"), "the entry ")
assert not os.path.exists("/tmp/1.png")
encrypted = bytearray(open(packed, "rb").read())
for at in (encrypted.find(b"PK\3\4") + 6, encrypted.find(b"PK\1\2") + 8):
    encrypted[at] |= 1
refused(lambda: ann.upload(write("secret.zip", bytes(encrypted)), image_size="8x8"), "encrypted")
bomb = tar(good + [(f"cat/{n + 3}.png", bytes(14 << 20)) for n in range(6)], "bomb.tar.gz")
refused(lambda: ann.upload(bomb, image_size="8x8"), "times its size")
# A file that is larger than the process may write.
bomb = tar(good + [("cat/3.png", bytes(32 << 20))], "bomb.tar.gz")
refused(lambda: ann.upload(bomb, image_size="8x8"), "")
cut = write("cut.tgz", open(os.path.join(folder, "photos.tgz"), "rb").read()[:-100])
refused(lambda: ann.upload(cut, image_size="8x8"), "cannot be unpacked")
wrong = tar(good + [("dog/2.png", b"no image")], "wrong.tar")
error = refused(lambda: ann.upload(wrong, image_size="8x8"), "")
assert error.where == "wrong.tar/dog/2.png" and data_dir not in str(error), vars(error)
refused(lambda: ann.upload(packed), "size of examples")
refused(lambda: ann.upload(packed, image_size="8"), "--image-size 64x64")
refused(lambda: ann.upload(packed, image_size="8x8", image_channels=2), "image_channels", 400)
refused(lambda: ann.upload(packed, image_size="8x8", label="y"), "not for images")
refused(lambda: ann.upload(table, label="kind", image_size="8x8"), "no archive of images")

# Two clients at once.
both = {}
threads = [threading.Thread(target=lambda who=who, name=name: both.update(
    {name: who.upload(os.path.join(folder, name), image_size="8x8")["sets"]}))
    for who, name in ((ann, "photos.zip"), (bob, "photos.tar"))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert both == {"photos.zip": photos, "photos.tar": photos}, both

# Wrong data and wrong options are errors of the command.
wrong = write("wrong.csv", "a,b\n1,2\n3\n")
assert refused(lambda: ann.upload(wrong), "wrong.csv").code == "invalid_argument"
refused(lambda: ann.upload(table, label="nothing"), "nothing")
refused(lambda: ann.upload(table, test_fraction=7), "not a fraction")
refused(lambda: ann.upload(write("empty.csv", "")), "has no file", 400)
failed = ann._json("GET", "/api/v1/imports")["imports"][0]
assert failed["state"] == "FAILED" and failed["error"]["message"], failed

# Names and options that would reach other files of the master.
secret = write("secret.json", json.dumps({"format": "csv", "path": table}))
for path in (secret, write("program", "#!/bin/sh\n"), write("a b.csv", "a\n1\n"),
             write("x-idx3-ubyte", "x"), write(".csv", "a\n1\n"), write("*.csv", "a\n1\n"),
             write("model.npy", "x"), write("photos.7z", "x")):
    refused(lambda: ann.upload(path), "", 400)
refused(lambda: ann._json("POST", "/api/v1/imports", {"file": "../../t.csv"}, b"a\n1\n"), "", 400)
refused(lambda: ann._json("POST", "/api/v1/imports", {"file": "t.csv", "config": "/x"}, b"a\n1\n"),
        "unknown", 400)
sparse = write("rows.libsvm", "1 1:2\n0 2:3\n" * 20)
refused(lambda: ann.upload(sparse, example_weights="/etc/hostname"), "weights", 400)
assert ann.upload(sparse)["sets"] == imported_by_command(sparse)

# Limits: of the file, and of what a small compressed file becomes.
refused(lambda: ann.upload(write("large.csv", b"1\n" * (3 << 20))), "max-upload", 413)
bomb = write("bomb.csv.gz", gzip.compress(b"1.5,2,3,4,5,6,7,8\n" * 4_000_000))
assert os.path.getsize(bomb) < 4 << 20
refused(lambda: ann.upload(bomb), "")
assert bob.upload(table, label="kind")["state"] == "SUCCEEDED", "the master still imports"

# Others see no imports and cannot use them.
mine = ann.upload(table, label="kind")
assert ann.import_state(mine["import"]) == mine
for call in (lambda: bob.import_state(mine["import"]), lambda: bob.forget_import(mine["import"]),
             lambda: bob.submit(spec=spec, train=mine)):
    refused(call, "no import", 404)
assert mine["import"] not in [one["import"] for one in bob._json("GET", "/api/v1/imports")["imports"]]
refused(lambda: reader.upload(table), "role", 403)
refused(lambda: paravane.Master(address).upload(table), "token", 401)
newest = ann._json("GET", "/api/v1/imports")["imports"]
assert 1 <= len(newest) <= 4, "the master keeps few of a token"
ann.forget_import(newest[0]["import"])
refused(lambda: ann.import_state(newest[0]["import"]), "no import", 404)
print("ok")
