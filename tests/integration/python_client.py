"""Uses clients/python/paravane.py on a real master: ADDRESS TOKEN_FILE JOB."""

import os
import sys
import tempfile

import paravane

address, token_file, job = sys.argv[1:]
master = paravane.Master(address, token_file=token_file)

first = master.result(job)
assert first["state"] == "SUCCEEDED", first
assert [one["job"] for one in master.jobs(state="succeeded")] == [job]
curve = master.metrics(job, "train/loss")["train/loss"]
assert curve["rounds"] == list(range(1, first["rounds"] + 1)), curve
assert len(curve["mean"]) == first["rounds"]

# The same job gives the same bits, and another seed gives others.
copy = master.submit(copy_of=job, request_id="copy")
assert master.submit(copy_of=job, request_id="copy") == copy
other = master.submit(copy_of=job, set={"seed": 99})
assert master.wait(copy, timeout=600)["state_sha256"] == first["state_sha256"]
assert master.wait(other, timeout=600)["state_sha256"] != first["state_sha256"]

events = list(master.events(copy))
assert events[-1]["type"] == "result", events[-1]
numbers = [event["seq"] for event in events[:-1]]
assert numbers == sorted(set(numbers)), numbers

# The weights are those of the file, whose hash is in its metadata.
last = master.checkpoints(job)[-1]
weights = master.weights(job)
assert sorted(weights) == ["dense1.bias", "dense1.weight", "output1.bias", "output1.weight"], weights
assert tuple(weights["dense1.weight"].shape) == (24, 144), weights["dense1.weight"].shape
flat = [value for row in weights["dense1.weight"].tolist() for value in row]
assert len(set(flat)) > 1000 and all(abs(value) < 10 for value in flat)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.safetensors")
    master.download(job, path, last["round"])
    with open(path, "rb") as file:
        assert last["state_sha256"].encode() in file.read()

# A loaded model gives the same answers again.
rows = [[(7 * row + 3 * place) % 256 for place in range(144)] for row in range(5)]
answers = master.predict(job, rows, top_k=4)
assert [answer["example"] for answer in answers] == list(range(5)), answers
for answer in answers:
    assert abs(sum(one["probability"] for one in answer["top"]) - 1) < 1e-5, answer
assert master.predict(job, rows) == [{key: answer[key] for key in answer if key != "top"}
                                     for answer in answers]
samples = master.samples(job, count=3)
assert len(samples) == 3 and samples[0]["image"].startswith("data:image/png;base64,"), samples

try:
    master.job("nothing-7")
    raise AssertionError("an unknown job is no error")
except paravane.Error as error:
    assert error.status == 404 and error.code == "not_found" and error.remedy, error
try:
    paravane.Master(address, token="dl1.x.y").cluster()
    raise AssertionError("a wrong token is no error")
except paravane.Error as error:
    assert error.status == 401, error
master.delete(other)
assert [one["job"] for one in master.jobs()] == [copy, job]
print("ok")
