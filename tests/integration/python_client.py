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

# The quantiles of a layer's parameters are those of its weights.
found = master.histograms(job, "layer/*/parameters", buckets=True)
assert sorted(found) == ["layer/dense1/parameters", "layer/output1/parameters"], sorted(found)
dense = found["layer/dense1/parameters"]
assert dense["rounds"] == list(range(1, first["rounds"] + 1)), dense["rounds"]
numbers = sorted(flat + weights["dense1.bias"].tolist())
assert dense["values"][-1] == len(numbers), dense["values"]
assert sum(count for low, high, count in dense["buckets"][-1]) == len(numbers)
assert numbers[0] >= dense["quantiles"][-1][0] and numbers[-1] <= dense["quantiles"][-1][1]
assert dense["quantiles"][-1][0.25] <= dense["quantiles"][-1][0.5], dense["quantiles"][-1]
some = master.histograms(job, "layer/*/parameters", points=2)["layer/dense1/parameters"]
assert some["rounds"] == [1, first["rounds"]] and "buckets" not in some, some
assert master.histograms(job, "layer/none/*") == {}

# An evaluation has the figures of the last evaluation of the job.
evaluation = master.evaluation(job, last["round"], mistakes=2)
assert evaluation["checkpoint"] == last["checkpoint"], evaluation["checkpoint"]
expected = first["metrics"]["test"]
for name in ("accuracy", "loss"):
    assert abs(evaluation["figures"][name] - expected[name]) < 1e-6, (name, evaluation, expected)
assert len(evaluation["mistakes"]) == min(2, evaluation["wrong"]), evaluation["mistakes"]
try:
    master.evaluation(job, mistakes=1000)
    raise AssertionError("too many mistakes are no error")
except paravane.Error as error:
    assert error.status == 400 and "mistakes" in str(error), error
classes = evaluation["figures"]["classes"]
assert [one["class_number"] for one in classes] == list(range(len(classes))), classes
for answer in answers:
    assert answer["class"] == classes[answer["class_number"]]["class"], answer

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
