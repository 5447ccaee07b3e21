"""Client of a Paravane master for Python 3.9 and later. Needs only the standard library.

    import paravane
    master = paravane.Master("http://127.0.0.1:7080", token_file="/srv/paravane/token")
    job = master.submit(copy_of="lenet5-1", set={"training.epochs": 20})
    result = master.wait(job)
    curve = master.metrics(job, "train/loss")["train/loss"]
    weights = master.weights(job, "best")
    answers = master.predict(job, [{"age": 39, "job": "clerk"}])
    accuracy = master.evaluation(job, "best")["figures"]["accuracy"]

    data = master.upload("train.csv", label="y", test_fraction=0.2)   # the master imports it
    job = master.submit(spec=spec, train=data)

paravane_data.py makes datasets of rows that submit() uploads.
The interface is described in docs/rest.md of Paravane. Objects may be used by several threads.
"""

import http.client
import io
import json
import os
import shutil
import ssl
import struct
import time
import urllib.error
import urllib.parse
import urllib.request

try:
    import numpy
except ImportError:
    numpy = None

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "REJECTED")
PASSING = (429, 502, 503, 504)  # of HTTP: the server is busy or restarts


def _plain(value):
    """Returns the value with None for NaN, which marks a missing value."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and value != value else value


class Error(Exception):
    """An error that the master reported: what is wrong, where, and what to do."""

    def __init__(self, problem):
        self.status = problem.get("status", 0)  # of HTTP
        self.code = problem.get("code", "")  # "not_found"; empty if the answer has no code
        self.where = problem.get("where", "")
        self.remedy = problem.get("remedy", "")
        text = problem.get("detail", "the server answered with an error")
        if self.where:
            text += f" (at {self.where})"
        if self.remedy:
            text += f"; {self.remedy}"
        super().__init__(text)


def _tensors(content):
    """Returns the tensors of a file of the format safetensors, as views of its content."""
    (size,) = struct.unpack("<Q", content[:8])
    head = json.loads(bytes(content[8:8 + size]))
    values = content[8 + size:]
    tensors = {}
    for name, tensor in head.items():
        if name == "__metadata__":
            continue
        first, end = tensor["data_offsets"]
        if numpy is not None:
            tensors[name] = numpy.frombuffer(values[first:end], "<f4").reshape(tensor["shape"])
        else:
            tensors[name] = values[first:end].cast("f", tensor["shape"] or [1])
    return tensors


class Master:
    """The REST interface of a master.

    address: "http://127.0.0.1:7080", or "https://..." with the file of the cluster's CA in ca_file.
    token, token_file: the token, or a file with it.
    timeout: seconds for each request.
    """

    def __init__(self, address, token="", token_file="", ca_file="", timeout=30):
        if token_file:
            with open(token_file, encoding="utf-8") as file:
                token = file.read().strip()
        self._address = address.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._context = ssl.create_default_context(cafile=ca_file) if ca_file else None

    def _open(self, method, path, parameters=None, body=None, headers=None):
        url = self._address + path
        given = {name: value for name, value in (parameters or {}).items() if value is not None}
        if given:
            url += "?" + urllib.parse.urlencode(given)
        is_bytes = isinstance(body, bytes)
        data = body if body is None or is_bytes else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
        if self._token:
            request.add_header("Authorization", "Bearer " + self._token)
        if data is not None:
            request.add_header("Content-Type",
                               "application/octet-stream" if is_bytes else "application/json")
        try:
            return urllib.request.urlopen(request, timeout=self._timeout, context=self._context)
        except urllib.error.HTTPError as error:
            try:
                problem = json.load(error)
            except ValueError:
                problem = {"status": error.code, "detail": str(error)}
            raise Error(problem) from None

    def _json(self, method, path, parameters=None, body=None):
        with self._open(method, path, parameters, body) as answer:
            return json.load(answer)

    @staticmethod
    def _path(job, *rest):
        parts = [urllib.parse.quote(str(part), safe="") for part in (job, *rest)]
        return "/api/v1/jobs/" + "/".join(parts)

    def jobs(self, state=None, text=None):
        """Yields the jobs as dicts, the newest first."""
        before = None
        while True:
            page = self._json("GET", "/api/v1/jobs",
                              {"before": before, "limit": 200, "state": state, "text": text})
            yield from page["jobs"]
            before = page.get("next_before")
            if before is None:
                return

    def job(self, job):
        """Returns the state of a job as a dict."""
        return self._json("GET", self._path(job))

    def result(self, job):
        """Returns the result of a job, or its result so far."""
        return self._json("GET", self._path(job, "result"))

    def spec(self, job):
        """Returns the complete spec of a job."""
        return self._json("GET", self._path(job, "spec"))

    def checkpoints(self, job):
        """Returns the checkpoints of a job as a list of dicts."""
        return self._json("GET", self._path(job, "checkpoints"))

    def download(self, job, file, round="last"):
        """Writes the model of a checkpoint to a file of the format safetensors.

        file: a path, or an object with write(). round: a number, "best" or "last".
        """
        if isinstance(file, (str, bytes)) or hasattr(file, "__fspath__"):
            with open(file, "wb") as opened:
                self.download(job, opened, round)
                return
        path = self._path(job, "checkpoints", round, "model.safetensors")
        with self._open("GET", path) as answer:
            length = int(answer.headers["Content-Length"])
            start = file.tell() if hasattr(file, "tell") else None
            shutil.copyfileobj(answer, file, 1 << 20)
            if start is not None and file.tell() - start != length:
                raise Error({"detail": f"the download has ended before its {length} bytes",
                             "code": "unavailable", "remedy": "Try again"})

    def weights(self, job, round="last"):
        """Returns the weights of a checkpoint: name -> NumPy array of float32.

        Without NumPy, the values are memoryviews with the same shapes; tolist() gives lists.
        round: a number, "best" or "last".
        """
        content = io.BytesIO()
        self.download(job, content, round)
        return _tensors(content.getbuffer())

    def predict(self, job, rows, round="last", top_k=1):
        """Predicts rows with a checkpoint, and returns a dict for each row or step.

        The dict of a class has "class", its name or its number as text, "class_number" and
        "probability".

        rows: at most 1,000 dicts by column, or lists or NumPy arrays with all values of an example.
        """
        rows = [_plain(row.tolist() if hasattr(row, "tolist") else row) for row in rows]
        return self._json("POST", self._path(job, "predictions"),
                          body={"rows": rows, "round": round, "top_k": top_k})["predictions"]

    def samples(self, job, set="train", first=0, count=16):
        """Returns examples of the data as a list of dicts with "values" or "image", and "label".

        A missing value is None.
        """
        return self._json("GET", self._path(job, "dataset", "samples"),
                          {"set": set, "first": first, "count": count})["samples"]

    def cluster(self):
        """Returns the master and its executors as a dict."""
        return self._json("GET", "/api/v1/cluster")

    def metrics(self, job, series="*", first=None, last=None, points=None):
        """Returns figures by round: name -> {"rounds", "mean", "min", "max"}, lists of one length.

        series: names with commas between them; * stands for any characters. A series without
        values so far is left out. rounds: the first round of each point. A point stands for several
        rounds if there are more than `points`.
        """
        answer = self._json("GET", self._path(job, "metrics"),
                            {"series": series, "first": first, "last": last, "points": points})
        curves = {}
        for curve in answer["curves"]:
            mean = curve["mean"]
            rounds = [curve["first"] + i * curve["step"] for i in range(len(mean))]
            curves[curve["name"]] = {"rounds": rounds, "mean": mean,
                                     "min": curve.get("min", mean), "max": curve.get("max", mean)}
        return curves

    def histograms(self, job, series="*", first=None, last=None, points=None, buckets=False):
        """Returns histograms of layers by round: name -> {"rounds", "values", "quantiles"}.

        The lists have an entry for each recorded round: its number, the number of counted values,
        and a dict from shares of the values, such as 0.5, to the quantiles. With buckets=True,
        "buckets" has a list of [lower edge, upper edge, count] for each round. series: names such
        as "layer/*/changes", with commas between them. points: most rounds, spread evenly.
        """
        found, left = {}, points
        while True:
            answer = self._json("GET", self._path(job, "histograms"),
                                {"series": series, "first": first, "last": last, "points": left,
                                 "buckets": int(buckets)})
            for column in answer["histograms"]:
                of_name = found.setdefault(column["name"],
                                           {key: [] for key in ("rounds", "values", "quantiles")})
                of_name["rounds"] += column["rounds"]
                of_name["values"] += column["values"]
                of_name["quantiles"] += [dict(zip(answer["shares"], row))
                                         for row in column["quantiles"]]
                if buckets:
                    of_name.setdefault("buckets", []).extend(column["buckets"])
            first = answer.get("next_first")
            if points is not None:
                left = points - len({number for of_name in found.values()
                                     for number in of_name["rounds"]})
            if first is None or left == 0:
                return found

    def evaluation(self, job, round="last", mistakes=None):
        """Evaluates a checkpoint on the test set of its job, and returns the answer as a dict.

        "figures" has accuracy, curves and others, "mistakes" the examples with the greatest loss,
        at most `mistakes` of them. round: a number, "best" or "last".
        """
        return self._json("GET", self._path(job, "checkpoints", round, "evaluation"),
                          {"mistakes": mistakes})

    @staticmethod
    def _patiently(call):
        """Repeats a call that may be repeated while the master is busy or cannot be reached."""
        for pause in (0.2, 0.5, 1, 2, 4, 8, None):
            try:
                return call()
            except (Error, OSError) as error:
                passing = not isinstance(error, Error) or error.status in (429, 503, 504)
                if pause is None or not passing:
                    raise
            time.sleep(pause)

    def _upload_missing(self, blocks):
        missing = self._patiently(lambda: self._json(
            "POST", "/api/v1/blocks/missing", body={"sha256": list(blocks)}))["missing"]
        for name in missing:
            self._patiently(lambda: self._json("PUT", "/api/v1/blocks/" + name, body=blocks[name]))
        return len(missing)

    def _send_file(self, path, parameters):
        """Sends a file piece by piece, and returns the document of its import."""
        host = urllib.parse.urlsplit(self._address)
        kind = http.client.HTTPConnection
        options = {"timeout": self._timeout}
        if host.scheme == "https":
            kind, options["context"] = http.client.HTTPSConnection, self._context
        connection = kind(host.netloc, **options)
        try:
            with open(path, "rb") as file:
                connection.putrequest("POST", f"{host.path}/api/v1/imports?{parameters}")
                connection.putheader("Content-Length", str(os.fstat(file.fileno()).st_size))
                connection.putheader("Content-Type", "application/octet-stream")
                if self._token:
                    connection.putheader("Authorization", "Bearer " + self._token)
                connection.endheaders()
                try:
                    while piece := file.read(1 << 18):
                        connection.send(piece)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the master answers before the end if it refuses the file
                answer = connection.getresponse()
                content = answer.read()
        finally:
            connection.close()
        try:
            document = json.loads(content)
        except ValueError:
            document = {"detail": content.decode(errors="replace")}
        if answer.status != 202:
            raise Error({"status": answer.status, **document})
        return document

    def import_state(self, imported):
        """Returns the document of an import: "state", and "sets" or "error" when it has ended."""
        return self._json("GET", "/api/v1/imports/" + urllib.parse.quote(imported, safe=""))

    def forget_import(self, imported):
        """Forgets an import, and ends it if it waits or runs."""
        return self._json("DELETE", "/api/v1/imports/" + urllib.parse.quote(imported, safe=""))

    def _import_file(self, path, options):
        parameters = [("file", os.path.basename(path))]
        for name, value in options.items():
            if isinstance(value, bool):
                value = ["1"] if value else []
            elif not isinstance(value, (list, tuple)):
                value = [value]
            parameters += [(name, each) for each in value]
        document = self._send_file(path, urllib.parse.urlencode(parameters))
        pause = 0.1
        while document["state"] in ("WAITING", "RUNNING"):
            time.sleep(pause)
            pause = min(2 * pause, 2)
            document = self._patiently(lambda: self.import_state(document["import"]))
        if document["state"] != "SUCCEEDED":
            error = document["error"]
            raise Error({**error, "detail": error["message"]})
        return document

    def upload(self, dataset, **options):
        """Sends a file, which the master imports, or a paravane_data.Dataset.

        A path of a table, .libsvm or .npz file, or of an archive of images (.zip, .tar): returns
        the document of the import, which submit() takes as train. "sets" describes the training set
        and the test set, and doubts about them. The options are flags of dl-submit import with _
        instead of -, such as label="y", test_fraction=0.2, drop=["id"], regression=True, or
        image_size="64x64", which images need.

        A Dataset: sends the blocks that the master lacks, and returns how many. May be repeated
        after any error: blocks that have arrived are not sent again.
        """
        if isinstance(dataset, (str, os.PathLike)):
            return self._import_file(os.fspath(dataset), options)
        if options:
            raise ValueError("options are for files")
        sent, waiting = 0, {}
        for name, content in dataset.blocks():
            waiting[name] = content
            if len(waiting) == 16:
                sent += self._upload_missing(waiting)
                waiting = {}
        return sent + (self._upload_missing(waiting) if waiting else 0)

    def _spec_on(self, spec, train, test):
        """Returns what a submission says about its spec and its data, and uploads datasets."""
        if "data" in spec:
            raise ValueError("the spec has \"data\"; pass the datasets as train and test")
        if isinstance(train, dict):
            if test is not None:
                raise ValueError("the test set of an import is its test_fraction")
            return {"spec": spec, "import": train["import"]}
        data = {"train": train.reference(), "normalizer": train.normalizer}
        body = {"spec": {**spec, "data": data}, "train_manifest": train.manifest}
        if test is not None:
            data["test"] = test.reference()
            body["test_manifest"] = test.manifest
        for dataset in (train, test):
            if dataset is not None:
                self.upload(dataset)
        return body

    def submit(self, copy_of=None, set=None, request_id=None, resume_from=None, init_from=None,
               spec=None, train=None, test=None):
        """Submits a job with the data and settings of the job copy_of, and returns its id.

        With spec, a job spec without "data", the job trains on train and test: the result of
        upload() of a file as train alone, which has the test set too, or each a
        paravane_data.Dataset, which is uploaded. set: changed settings, such as
        {"training.epochs": 20}. A repeated request_id returns the same job. resume_from,
        init_from: a checkpoint, "JOB@ROUND".
        """
        if (copy_of is None) == (spec is None) or (spec is None) != (train is None):
            raise ValueError("submit() needs either copy_of, or spec and train")
        body = {"set": set or {}}
        if spec is not None:
            body.update(self._spec_on(spec, train, test))
        elif test is not None:
            raise ValueError("a copy has the test set of the copied job")
        for name, value in (("copy_of", copy_of), ("request_id", request_id),
                            ("resume_from", resume_from), ("init_from", init_from)):
            if value is not None:
                body[name] = value
        return self._json("POST", "/api/v1/jobs", body=body)["job"]

    def act(self, job, action):
        """Performs "cancel", "pause", "resume" or "checkpoint", and returns the master's sentence."""
        return self._json("POST", self._path(job, action))["message"]

    def delete(self, job, pinned=False):
        """Deletes an ended job with its checkpoints; if some are pinned, only with pinned=True."""
        return self._json("DELETE", self._path(job), {"pinned": 1 if pinned else None})["message"]

    def wait(self, job, timeout=None, patience=600):
        """Waits until a job has ended, and returns its result.

        Continues while the master restarts; after `patience` s without an answer, the error of the
        connection is raised. Raises TimeoutError after `timeout` s, and Error if no process
        computes the job. A paused job is waited for until it is resumed.
        """
        begun = answered = time.monotonic()
        state = self.job(job)["state"]  # an error of the first request is one of the address
        while state not in ENDED:
            if state == "INTERRUPTED":
                raise Error({"detail": f"no process computes {job}", "code": "unavailable",
                             "remedy": f"Continue it: dl-submit resume {job}"})
            if timeout is not None and time.monotonic() > begun + timeout:
                raise TimeoutError(f"{job} has not ended within {timeout} s")
            time.sleep(1)
            try:
                state = self.job(job)["state"]
                answered = time.monotonic()
            except (OSError, Error) as error:
                is_passing = not isinstance(error, Error) or error.status in PASSING
                if not is_passing or time.monotonic() > answered + patience:
                    raise
        return self.result(job)

    def events(self, job, after=0):
        """Yields the events of a job as dicts, the last one being its result.

        Continues after a lost connection without a gap.
        """
        while True:
            try:
                with self._open("GET", self._path(job, "events"), {"after": after}) as stream:
                    for line in stream:
                        if not line.startswith(b"data: "):
                            continue
                        event = json.loads(line[6:])
                        after = event.get("seq", after)
                        yield event
                        if event.get("type") == "result":
                            return
            except (OSError, urllib.error.URLError):
                time.sleep(1)
