#!/usr/bin/python3
"""What PyTorch computes of the zoo's models and updaters, written down for tests/torch.

    make_fixtures.py [NAME ...]             records these twins; "updaters" is one, too; no name: all
    make_fixtures.py --search N NAME ...    finds the draw of the minibatch, out of N, that is farthest from kinks
    make_fixtures.py --check [NAME ...]     computes them and reports where they differ from the recorded fixtures

Needs Debian's python3-torch. Tensors are stored as sketches (seeded.py), so each fixture is small,
however large its model is. Everything is seeded, so another run changes nothing.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit("PyTorch is not here: apt-get install python3-torch, and run this by /usr/bin/python3")

import seeded
from twins import LARGE, TWINS, Tensors

FIXTURES = pathlib.Path(__file__).parent / "fixtures"
STEPS = 10
RATES = {False: 0.01, True: 1e-3}  # learning rates of momentum and of Adam
# Distance from a rectifier's 0, relative to the layer's scale, below which float32 may round a
# value to the other side. Training then takes another path by chance: for ResNet-50, PyTorch's
# own result in float32 differs from float64 by 4 %. Such trajectories are not compared.
NEAREST_KINK = 3e-6
UPDATER_VALUES = 48


def digits(values, count):
    return [float(f"{float(v):.{count}g}") for v in values]


def trajectory(name, twin, dtype):
    """Returns the parameters before and after STEPS steps, each on its own minibatch, and the nearest kink."""
    t = Tensors(name, dtype)
    optimizer, before = None, {}
    for step in range(STEPS):
        t.step = step
        loss = t.loss(twin, twin.batch(name, step, dtype))
        parameters = list(t.parameters.values())
        if optimizer is None:
            before = {n: p.detach().clone() for n, p in t.parameters.items()}
            optimizer = (torch.optim.Adam(parameters, lr=RATES[twin.adam]) if twin.adam else torch.optim.SGD(parameters, lr=RATES[twin.adam], momentum=0.9))
        optimizer.zero_grad()
        loss.backward()
        if twin.clip > 0:
            norm = math.sqrt(sum(float((p.grad.double() ** 2).sum()) for p in parameters))
            for p in parameters:
                p.grad *= min(1.0, twin.clip / norm)
        optimizer.step()
    return before, {n: p.detach() for n, p in t.parameters.items()}, t.kink_distance


def distance(a, b):
    return math.sqrt(sum(float(((a[n].double() - b[n].double()) ** 2).sum()) for n in b))


def model_fixture(name, twin):
    t = Tensors(name, torch.float64)
    batch = twin.batch(name, 0, torch.float64)
    t.training = False
    with torch.no_grad():
        predictions = t.predictions(twin, batch[0])
    t.training, t.carried, t.kink_distance = True, {}, math.inf
    loss = t.loss(twin, batch)
    loss.backward()
    moments = {n: t.moments[n] for n in t.moments}
    fixture = {
        "model": twin.zoo, "shape": list(twin.shape), "classes": twin.classes, "examples": twin.examples,
        "updater": "adam" if twin.adam else "momentum", "learning_rate": RATES[twin.adam],
        "draw": twin.draw, "kink_distance": t.kink_distance if math.isfinite(t.kink_distance) else None,
        "loss": float(loss), "predictions": digits(seeded.sketch("predictions", predictions), 9),
        "gradient_norm": math.sqrt(sum(float((p.grad**2).sum()) for p in t.parameters.values())),
        "parameters": [], "moments": []}
    for n, p in t.parameters.items():
        fixture["parameters"].append({
            "name": n, "shape": list(p.shape), **t.seeded[n],
            "gradient_norm": float(p.grad.norm()), "gradient": digits(seeded.sketch(n, p.grad), 9)})
    for n, m in moments.items():
        fixture["moments"].append({"name": n, "shape": list(m.shape), **t.seeded[n],
                                   "behind_a_step": digits(seeded.sketch(n, m), 9)})
    if twin.shape != LARGE:
        before, after, kink_distance = trajectory(name, twin, torch.float64)
        way = distance(before, after)
        of_float32 = distance(trajectory(name, twin, torch.float32)[1], after)
        print(name, f"way {way:.4g}, distance of float32 {of_float32:.4g}, {kink_distance:.3g} away from kinks", flush=True)
        if kink_distance > NEAREST_KINK:
            fixture.update({"steps": STEPS, "way": way, "distance_of_float32": of_float32})
            for p in fixture["parameters"]:
                p["behind_steps"] = digits(seeded.sketch(p["name"], after[p["name"]]), 13)
    return fixture


# The updaters by their names in a job spec, as PyTorch implements them.
UPDATERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.05, eps=1e-8),
    "adadelta": lambda p: torch.optim.Adadelta(p, lr=0.05, rho=0.95, eps=1e-6),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.05, alpha=0.9, eps=1e-8),
    "adam": lambda p: torch.optim.Adam(p, lr=0.05),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.01),
    "amsgrad": lambda p: torch.optim.Adam(p, lr=0.05, amsgrad=True),
    # NAdam's momentum warms up. So large a decay keeps the momentum constant from the first step.
    # In PyTorch 1.13 only the form for several tensors (foreach) computes what its documentation
    # describes: the other form multiplies the momentum of a step into the product twice.
    "nadam": lambda p: torch.optim.NAdam(p, lr=0.05, momentum_decay=1e6, foreach=True),
    "adamax": lambda p: torch.optim.Adamax(p, lr=0.05),
}


def updaters_fixture():
    fixture = {"values": UPDATER_VALUES, "steps": STEPS, "learning_rate": 0.05, "updaters": {}}
    for name, make in UPDATERS.items():
        weights = torch.tensor(seeded.uniform("updaters/weights", UPDATER_VALUES)).requires_grad_()
        optimizer = make([weights])
        for step in range(STEPS):
            weights.grad = torch.tensor(seeded.uniform(f"updaters/gradient/{step}", UPDATER_VALUES))
            optimizer.step()
        fixture["updaters"][name] = [float(w) for w in weights.detach()]
    return fixture


def text(fixture):
    """Writes each tensor on its own line, so that a diff shows which tensor changed."""
    lines = []
    for key, value in fixture.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n  ".join(json.dumps(row) for row in value)
            lines.append(f"{json.dumps(key)}: [\n  {rows}]")
        elif isinstance(value, dict):
            rows = ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{json.dumps(key)}: {{\n  {rows}}}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "}\n"


def search(name, draws):
    best = (0.0, 0)
    for draw in range(draws):
        twin = dataclasses.replace(TWINS[name], draw=draw)
        t = Tensors(name, torch.float64)
        with torch.no_grad():
            t.loss(twin, twin.batch(name, 0, torch.float64))
        best = max(best, (t.kink_distance, draw))
    print(name, f"draw {best[1]}: {best[0]:.3g} away from kinks", flush=True)


def differences(path, is_, was):
    """Returns where two fixtures differ by more than rounding of float64. Ignores results of float32,
    which differ between machines."""
    if path.endswith("/distance_of_float32"):
        return []
    if isinstance(was, dict) and isinstance(is_, dict):
        if is_.keys() != was.keys():
            return [f"{path}: other keys"]
        return [d for key in was for d in differences(f"{path}/{key}", is_[key], was[key])]
    if isinstance(was, list) and isinstance(is_, list):
        if len(is_) != len(was):
            return [f"{path}: {len(is_)} of {len(was)}"]
        if was and all(isinstance(v, float) for v in was):
            bound = 1e-7 * math.sqrt(sum(v * v for v in was)) + 1e-12
            return [f"{path}: {a} was {b}" for a, b in zip(is_, was) if abs(a - b) > bound][:1]
        return [d for i, (a, b) in enumerate(zip(is_, was)) for d in differences(f"{path}/{i}", a, b)]
    if isinstance(was, float) and isinstance(is_, float):
        return [] if abs(is_ - was) <= 1e-7 * abs(was) + 1e-12 else [f"{path}: {is_} was {was}"]
    return [] if is_ == was else [f"{path}: {is_} was {was}"]


def main():
    known = ["updaters", *TWINS]
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", metavar="NAME", help=" ".join(known))
    arguments.add_argument("--check", action="store_true", help="compare with the fixtures that are there, write nothing")
    arguments.add_argument("--search", type=int, metavar="N", help="say which of N draws is farthest from kinks, write nothing")
    given = arguments.parse_args()
    for name in set(given.names) - set(known):
        arguments.error(f"there is no twin {name}: {' '.join(known)}")
    torch.set_num_threads(1)
    different = 0
    for name in given.names or known:
        if given.search:
            search(name, given.search)
            continue
        fixture = updaters_fixture() if name == "updaters" else model_fixture(name, TWINS[name])
        file = FIXTURES / f"{name}.json"
        print(name, *(f"{k} {fixture[k]:.4g}" for k in ("loss", "gradient_norm", "kink_distance") if fixture.get(k) is not None),
              flush=True)
        if not given.check:
            FIXTURES.mkdir(exist_ok=True)
            file.write_text(text(fixture))
            continue
        for difference in differences(name, json.loads(text(fixture)), json.loads(file.read_text())):
            print(difference)
            different += 1
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
