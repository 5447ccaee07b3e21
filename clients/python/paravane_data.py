"""Datasets for jobs that paravane.Master submits. Needs only the standard library of Python.

    import paravane, paravane_data
    train = paravane_data.Dataset(rows, labels, classes=3)
    test = paravane_data.Dataset(test_rows, test_labels, training=train)
    job = master.submit(spec=spec, train=train, test=test)

Writes blocks and manifests as docs/formats.md of Paravane describes them. `dl-submit import` gives
the same ones for the same data. It also reads files, and has more kinds of labels.
"""

import array
import hashlib
import json
import math
import struct
import sys

BLOCK_BYTES = 1 << 20  # of the records in a block
_U64 = (1 << 64) - 1
_U32 = (1 << 32) - 1

# ---- XXH3-64 of Yann Collet, with seed 0

_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578"
    "825ad07dccff7221b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea3"
    "71644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931"
    "c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
_P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
_P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5)
_KEYS = [struct.unpack_from("<8Q", _SECRET, 8 * stripe) for stripe in range(16)]


def _read64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def _fold(a, b):
    product = a * b
    return (product ^ (product >> 64)) & _U64


def _avalanche(h):
    h &= _U64
    h ^= h >> 37
    h = (h * 0x165667919E3779F9) & _U64
    return h ^ (h >> 32)


def _mix16(data, at, key):
    return _fold(_read64(data, at) ^ _read64(_SECRET, key),
                 _read64(data, at + 8) ^ _read64(_SECRET, key + 8))


def _hash_of_id(number):
    """Returns XXH3-64 of the eight bytes of a number."""
    swapped = (number >> 32) + ((number & _U32) << 32)
    h = swapped ^ _read64(_SECRET, 8) ^ _read64(_SECRET, 16)
    h ^= ((h << 49 | h >> 15) ^ (h << 24 | h >> 40)) & _U64
    h = (h * 0x9FB21C651E98DF25) & _U64
    h ^= (h >> 35) + 8
    h = (h * 0x9FB21C651E98DF25) & _U64
    return h ^ (h >> 28)


def _accumulate(sums, data, at, stripes, keys):
    words = struct.unpack_from(f"<{8 * stripes}Q", data, at)
    for lane in range(8):
        lanes = words[lane::8]
        sums[lane ^ 1] += sum(lanes)
        mixed = [word ^ key[lane] for word, key in zip(lanes, keys)]
        sums[lane] += sum((word & _U32) * (word >> 32) for word in mixed)


def xxh3(data):
    """Returns XXH3-64 of more than 16 bytes."""
    size = len(data)
    if size <= 240:
        h = size * _P64[0]
        if size <= 128:
            for pair in range((size - 1) // 32 + 1):
                h += _mix16(data, 16 * pair, 32 * pair)
                h += _mix16(data, size - 16 * (pair + 1), 32 * pair + 16)
            return _avalanche(h)
        for place in range(8):
            h += _mix16(data, 16 * place, 16 * place)
        h = _avalanche(h)
        for place in range(8, size // 16):
            h += _mix16(data, 16 * place, 16 * (place - 8) + 3)
        return _avalanche(h + _mix16(data, size - 16, 136 - 17))
    sums = [_P32[2], _P64[0], _P64[1], _P64[2], _P64[3], _P32[1], _P64[4], _P32[0]]
    end_keys = struct.unpack_from("<8Q", _SECRET, 128)
    blocks = (size - 1) // 1024
    for block in range(blocks):
        _accumulate(sums, data, 1024 * block, 16, _KEYS)
        for lane in range(8):
            h = sums[lane] & _U64
            sums[lane] = ((h ^ (h >> 47) ^ end_keys[lane]) * _P32[0]) & _U64
    _accumulate(sums, data, 1024 * blocks, (size - 1 - 1024 * blocks) // 64, _KEYS)
    _accumulate(sums, data, size - 64, 1, [struct.unpack_from("<8Q", _SECRET, 121)])
    h = size * _P64[0]
    for pair in range(4):
        h += _fold((sums[2 * pair] & _U64) ^ _read64(_SECRET, 11 + 16 * pair),
                   (sums[2 * pair + 1] & _U64) ^ _read64(_SECRET, 19 + 16 * pair))
    return _avalanche(h)


# ---- the order in which an import stores examples: Philox4x32-10, purpose 3, seed 0


def _mix(x):
    x = (x + 0x9E3779B97F4A7C15) & _U64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _U64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _U64
    return x ^ (x >> 31)


def _draws():
    """Yields the numbers of 64 bits of the stream."""
    h = _mix(0)
    for number in (3, 0, 0, 0):
        h = _mix(h ^ number)
    base = _mix(h)
    block = 0
    while True:
        c0, c1, c2, c3 = block & _U32, block >> 32, base & _U32, base >> 32
        k0, k1 = h & _U32, h >> 32
        for _ in range(10):
            p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
            c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _U32, (p0 >> 32) ^ c3 ^ k1, p0 & _U32
            k0, k1 = (k0 + 0x9E3779B9) & _U32, (k1 + 0xBB67AE85) & _U32
        yield c0 | c1 << 32
        yield c2 | c3 << 32
        block += 1


def _shuffled(count):
    ids = list(range(count))
    draws = _draws()
    for left in range(count, 1, -1):
        product = next(draws) * left
        if product & _U64 < left:
            threshold = (1 << 64) % left
            while product & _U64 < threshold:
                product = next(draws) * left
        chosen = product >> 64
        ids[left - 1], ids[chosen] = ids[chosen], ids[left - 1]
    return ids


def _canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False,
                      allow_nan=False)


def _with_hash(normalizer):
    """Returns the normalizer with its hash. The manifest of a job may already have one."""
    exact = {key: value if key == "kind" else [float(x) for x in value]
             for key, value in normalizer.items() if key != "sha256"}
    for key, values in exact.items():
        if key != "kind" and any(abs(x) >= 1e15 for x in values):
            raise ValueError(f"normalizer: {key} has a number of 1e15 or more")
    exact["sha256"] = hashlib.sha256(_canonical(exact).encode()).hexdigest()
    return exact


def _floats(values):
    numbers = array.array("f", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


class Dataset:
    """Examples in the form in which a job trains on them. Reads the rows when blocks are made.

    rows: a row for each example, as a NumPy array or a sequence. Rows of bytes, and NumPy arrays of
        uint8, are stored as bytes; other rows as float32.
    labels: with `classes`, the number of each example's class. Otherwise a number, or a list of
        numbers, to predict for each example.
    classes, class_names: the number of classes, or their names.
    shape: [features], [steps, features] of sequences of one length, [channels, height, width] of
        images. Without it the shape of a NumPy array's row, or [length of a row].
    normalizer: {"kind": "standardize", "mean": [...], "std": [...]}, or "min_max" with "min" and
        "max": a number for each feature, or for each channel of an image. None: rows as they are.
    training: the training set of this test set, which has its shape, classes and normalizer.
    shuffle: whether a training set is stored in a random order. Jobs with training.shuffle
        "stream" need False.
    """

    def __init__(self, rows, labels, classes=None, class_names=None, shape=None, normalizer=None,
                 training=None, shuffle=True):
        if len(rows) == 0 or len(rows) != len(labels):
            raise ValueError(f"{len(rows)} rows and {len(labels)} labels: expected as many labels "
                             "as rows, and at least one")
        self._rows, self._labels = rows, labels
        self._bytes = self._row(0)[1]
        if training is not None:
            if (classes, class_names, shape, normalizer) != (None,) * 4:
                raise ValueError("a test set has classes, shape and normalizer of its training set")
            self._schema, self._normalizer = training._schema, training._normalizer
        else:
            self._schema = self._new_schema(classes, class_names, shape)
            self._normalizer = _with_hash(normalizer or {"kind": "none"})
        self._is_class = self._schema["label_kind"] == "class"
        self._width = 1 if self._is_class else self._schema["target_size"]
        size = math.prod(self._schema["feature_shape"])
        self._row_bytes = size * (1 if self._schema["feature_type"] == "u8" else 4)
        record = 8 + 4 * self._width + self._row_bytes
        self._per_block = max(1, BLOCK_BYTES // record)
        shuffle = shuffle and training is None
        self._order = _shuffled(len(rows)) if shuffle else list(range(len(rows)))
        self.manifest = self._make_manifest("shuffled" if shuffle else "source")

    def _row(self, index):
        """Returns a row as bytes, and whether its values are bytes."""
        row = self._rows[index]
        if hasattr(row, "dtype"):  # NumPy
            if str(row.dtype) == "uint8":
                return row.tobytes(), True
            return row.astype("<f4").tobytes(), False
        if isinstance(row, (bytes, bytearray, memoryview)):
            return bytes(row), True
        return _floats(row), False

    def _new_schema(self, classes, class_names, shape):
        row = self._rows[0]
        if shape is None:
            shape = list(getattr(row, "shape", ())) or [len(row)]
        if not 1 <= len(shape) <= 4:
            raise ValueError(f"the shape {list(shape)} must have 1 to 4 numbers")
        schema = {"feature_shape": [int(extent) for extent in shape],
                  "feature_type": "u8" if self._bytes else "f32"}
        if classes is None and class_names is None:
            schema.update(label_kind="target", target_size=len(self._target(0)))
            return schema
        schema.update(label_kind="class", classes=classes or len(class_names))
        if class_names is not None:
            if len(class_names) != schema["classes"]:
                raise ValueError(f"{schema['classes']} classes and {len(class_names)} names")
            schema["class_names"] = list(class_names)
        return schema

    def _target(self, index):
        label = self._labels[index]
        return [float(x) for x in label] if hasattr(label, "__len__") else [float(label)]

    def _label(self, index):
        """Returns a label as bytes. Raises ValueError for a label that the schema excludes."""
        if self._is_class:
            label = self._labels[index]
            classes = range(self._schema["classes"])
            if hasattr(label, "__len__") or label not in classes:
                raise ValueError(f"label {label!r} of example {index} is no class from 0 to "
                                 f"{len(classes) - 1}")
            return struct.pack("<i", int(label))
        target = self._target(index)
        if len(target) != self._width or not all(map(math.isfinite, target)):
            raise ValueError(f"label of example {index}: expected {self._width} finite numbers")
        return _floats(target)

    def _checked_row(self, index):
        row, is_bytes = self._row(index)
        if is_bytes != (self._schema["feature_type"] == "u8") or len(row) != self._row_bytes:
            raise ValueError(f"row {index} has other values than the shape "
                             f"{self._schema['feature_shape']} of {self._schema['feature_type']}")
        if not is_bytes and not all(map(math.isfinite, memoryview(row).cast("f"))):
            raise ValueError(f"row {index} has a value that is not finite")
        return row

    def _block(self, first):
        ids = self._order[first:first + self._per_block]
        payload = b"".join([struct.pack(f"<{len(ids)}Q", *ids)] +
                           [self._label(index) for index in ids] +
                           [self._checked_row(index) for index in ids])
        shape = self._schema["feature_shape"]
        head = struct.pack("<4sHBBBBHIIIQQ4I", b"PVBK", 1,
                           1 if self._schema["feature_type"] == "u8" else 2,
                           1 if self._is_class else 2, 0, len(shape), 0, len(ids), self._width, 0,
                           len(payload), len(payload), *shape, *[0] * (4 - len(shape)))
        content = head + payload
        return content + struct.pack("<Q", xxh3(content))

    def blocks(self):
        """Yields the name and the bytes of each block. Makes one block at a time."""
        for first in range(0, len(self._order), self._per_block):
            content = self._block(first)
            yield hashlib.sha256(content).hexdigest(), content

    def _fingerprint(self):
        count = len(self._rows)
        digest = hashlib.sha256(_canonical(self._schema).encode())
        digest.update(struct.pack("<Q", count))
        for index in range(count):
            digest.update(self._label(index))
        for index in range(count):
            digest.update(self._checked_row(index))
        return digest.hexdigest()

    def _make_manifest(self, order):
        blocks, left = [], len(self._order)
        for name, content in self.blocks():
            examples = min(left, self._per_block)
            left -= examples
            blocks.append({"sha256": name, "examples": examples, "bytes": len(content)})
        histogram = [0] * self._schema.get("classes", 0)
        for label in self._labels if self._is_class else ():
            histogram[int(label)] += 1
        ids = sum(map(_hash_of_id, range(len(self._order)))) & _U64
        return _canonical({
            "version": 1, "schema": self._schema, "examples": len(self._order), "order": order,
            "class_histogram": histogram, "blocks": blocks, "example_hash_sum": f"{ids:016x}",
            "content_fingerprint": self._fingerprint(), "normalizer": self._normalizer})

    @property
    def normalizer(self):
        """The kind of the normalizer: "none", "standardize" or "min_max"."""
        return self._normalizer["kind"]

    def reference(self):
        """Returns the dataset as data.train or data.test of a job spec."""
        return {"format": "manifest",
                "sha256": hashlib.sha256(self.manifest.encode()).hexdigest(),
                "examples": len(self._order),
                "feature_shape": self._schema["feature_shape"],
                "classes": self._schema.get("classes", 0),
                "targets": self._schema.get("target_size", 0)}
