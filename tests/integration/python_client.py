"""Uses clients/python/paravane.py on a real master: ADDRESS TOKEN_FILE JOB."""

import sys

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
