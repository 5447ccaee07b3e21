"""Pseudo-random numbers that both sides derive from a name, and the sketches by which tensors are compared.

tests/torch/seeded.cc computes the same bits.
"""
import math

import numpy as np

SKETCH = 64  # number of values of a sketch


def name_seed(name):
    """Returns the 64-bit FNV-1a hash of the name."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def words(name, count):
    """Returns the first `count` outputs of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), seeded by the name."""
    with np.errstate(over="ignore"):
        z = np.uint64(name_seed(name)) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def uniform(name, count):
    """Returns multiples of 2^-23 in [-1, 1), which are exact in float32."""
    return (words(name, count) >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def below(name, count, bound):
    return (words(name, count) % np.uint64(bound)).astype(np.int64)


def _mix(x):
    mask = 0xFFFFFFFFFFFFFFFF
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


def gaussian_sample_noise(layer, step, count):
    """Returns the numbers that a layer draws in a step of round 0 of a job with seed 0 (docs/formats.md,
    "Random numbers"): Philox4x32-10 (Salmon et al., SC 2011) and Box-Muller."""
    h = _mix(0)
    for part in (11, layer << 32, 0, step):
        h = _mix(h ^ part)
    base, values = _mix(h), []

    def block(i):
        c = [i & 0xFFFFFFFF, i >> 32, base & 0xFFFFFFFF, base >> 32]
        k = [h & 0xFFFFFFFF, h >> 32]
        for _ in range(10):
            p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        return c

    for i in range((count + 1) // 2):
        c = block(i)
        u, v = (((c[j] | c[j + 1] << 32) >> 11) * 2.0**-53 for j in (0, 2))
        radius = math.sqrt(-2 * math.log(1 - u))
        values += [radius * math.cos(2 * math.pi * v), radius * math.sin(2 * math.pi * v)]
    return np.array(values[:count])


def sketch(name, tensor):
    """Returns a tensor's count sketch (Charikar, Chen, Farach-Colton, ICALP 2002). Each element is added
    to one of SKETCH sums with a random sign. The sketch is linear, and the expectation of its squared
    norm is that of the tensor."""
    values = np.asarray(tensor, dtype=np.float64).ravel()
    drawn = words("sketch of " + name, values.size)
    buckets = (drawn % np.uint64(SKETCH)).astype(np.int64)
    signs = np.where(drawn >> np.uint64(63), -1.0, 1.0)
    return np.bincount(buckets, weights=signs * values, minlength=SKETCH)
