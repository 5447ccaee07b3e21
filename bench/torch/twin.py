#!/usr/bin/python3
"""Makes training steps of a model in PyTorch for `steps` (docs/testing.md). `steps` starts it and sends commands.

    twin.py FOLDER COMMANDS [--dtype bf16] [--format channels_last] [--compile]

FOLDER has task.json, weights.bin, features.bin and labels.bin. COMMANDS is a named pipe with one JSON object a line,
{"steps": N}. Each answer is a line of JSON on standard output. The first line describes this PyTorch. Ends when the
pipe is closed.
"""
import argparse
import json
import pathlib
import time

import numpy as np
import torch

import models


def sgemm_rate():
    """Operations a second of a product of two large matrices: shows a BLAS that does not know this CPU."""
    n = 1024
    a, b, best = torch.randn(n, n), torch.randn(n, n), 0.0
    for _ in range(6):
        begin = time.process_time()
        torch.mm(a, b)
        best = max(best, 2 * n**3 / (time.process_time() - begin))
    return best * torch.get_num_threads()


def own_status(key):
    """Returns a value of /proc/self/status in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


class Twin:
    def __init__(self, folder, options):
        self.task = task = json.loads((folder / "task.json").read_text())
        self.batch, self.step = task["batch"], 0
        self.cast = options.dtype == "bf16"
        weights = torch.from_numpy(np.fromfile(folder / "weights.bin", dtype=np.float32))
        values = {}
        for tensor in task["tensors"]:
            size = int(np.prod(tensor["shape"]))
            values[tensor["name"]] = weights[tensor["offset"]:tensor["offset"] + size].reshape(tensor["shape"])
        features = torch.from_numpy(np.fromfile(folder / "features.bin", dtype=np.float32))
        labels = torch.from_numpy(np.fromfile(folder / "labels.bin", dtype=np.int32)).long()
        self.tensors = models.Tensors(values, options.format == "channels_last")
        self.features = [self.input_of(part) for part in features.chunk(task["minibatches"])]
        labels[labels < 0] = models.NO_LABEL
        self.labels = labels.chunk(task["minibatches"]) if len(labels) else [None] * task["minibatches"]
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
        self.memory_before = own_status("VmRSS")
        self.values = {name: value.clone() for name, value in values.items()}
        self.tensors.values = self.values
        self.classes, self.forward = task["classes"], models.MODELS[task["model"]]
        self.optimizer, self.loss = None, self.compute_loss
        if options.compile:
            # The tensors must exist before the compilation.
            self.compute_loss(self.features[0], self.labels[0])
            self.tensors.carried.clear()
            self.loss = torch.compile(self.compute_loss)

    def input_of(self, part):
        shape = self.task["shape"]
        if self.task["tokens"]:
            return part.reshape(self.batch, shape[0]).long()
        return self.tensors.arrange(part.reshape(self.batch, *shape))

    def compute_loss(self, features, labels):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.cast):
            return self.tensors.loss(self, (features, labels))

    def make_optimizer(self):
        parameters, updater = list(self.tensors.parameters.values()), self.task["updater"]
        fused = {"fused": True} if int(torch.__version__.split(".")[0]) >= 2 else {}
        if updater["type"] == "adam":
            return torch.optim.Adam(parameters, lr=updater["rate"], **fused)
        return torch.optim.SGD(parameters, lr=updater["rate"], momentum=0.9, nesterov=True, **fused)

    def make_step(self):
        """Returns the loss and the processor and wall time of a step, in milliseconds."""
        number = self.step % self.task["minibatches"]
        features, labels, clip = self.features[number], self.labels[number], self.task["clip"]
        if self.task["model"] == "vae":
            self.tensors.prepare_noise(self.step, self.batch)
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        if self.optimizer is not None:
            self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(features, labels)
        loss.backward()
        if self.optimizer is None:
            self.optimizer = self.make_optimizer()
        if clip > 0:
            torch.nn.utils.clip_grad_norm_(self.optimizer.param_groups[0]["params"], clip)
        self.optimizer.step()
        value = loss.item()
        self.step += 1
        return value, (time.process_time_ns() - cpu) / 1e6, (time.perf_counter_ns() - wall) / 1e6

    def make_steps(self, count):
        steps = [self.make_step() for _ in range(count)]
        if self.values:
            raise ValueError(f"only the engine has the tensors {sorted(self.values)}")
        return {"losses": [s[0] for s in steps], "cpu_ms": [s[1] for s in steps], "wall_ms": [s[2] for s in steps],
                "memory_growth": max(0, own_status("VmHWM") - self.memory_before)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("commands", type=pathlib.Path)
    parser.add_argument("--dtype", choices=("float32", "bf16"), default="float32")
    parser.add_argument("--format", choices=("contiguous", "channels_last"), default="contiguous")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    rate = sgemm_rate()
    twin = Twin(options.folder, options)
    print(json.dumps({"version": torch.__version__, "threads": torch.get_num_threads(), "sgemm": rate}), flush=True)
    with open(options.commands) as commands:
        for line in commands:
            print(json.dumps(twin.make_steps(json.loads(line)["steps"])), flush=True)


if __name__ == "__main__":
    main()
