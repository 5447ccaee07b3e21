"""Prints the events of a TensorBoard event file, one JSON object per line.

An independent reader: it shares no code with the writer, and needs only the standard library. It
ends with an error for a damaged or incomplete record.
"""
import json
import struct
import sys
import zlib


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        assert crc == masked_crc(data[at : at + 8]), f"length at {at}"
        message = data[at + 12 : at + 12 + length]
        (crc,) = struct.unpack_from("<I", data, at + 12 + length)
        assert crc == masked_crc(message), f"message at {at}"
        yield message
        at += length + 16


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Returns a list of values for each number of a field."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            (value,), at = struct.unpack_from("<d", data, at), at + 8
        elif kind == 5:
            (value,), at = struct.unpack_from("<f", data, at), at + 4
        else:
            assert kind == 2, f"wire type {kind}"
            length, at = varint(data, at)
            assert at + length <= len(data), "a field is longer than its message"
            value, at = data[at : at + length], at + length
        found.setdefault(tag >> 3, []).append(value)
    return found


def text(data):
    return data.decode("utf-8")


def setting(data):
    (number, values), = fields(data).items()
    return {2: float, 3: text, 4: bool}[number](values[0])


def hparams(content):
    (number, infos), = fields(content).items()
    info = fields(infos[0])
    if number == 4:
        return {"status": info[1][0], "end": info[2][0]}
    assert number == 3, f"plugin data {number}"
    entries = [fields(entry) for entry in info.get(1, [])]
    settings = {text(entry[1][0]): setting(entry[2][0]) for entry in entries}
    return {"settings": settings, "group": text(info[4][0]), "start": info[5][0]}


def picture(data):
    """Returns width, height and the lines of a PNG file with 8 bits a channel and no filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "signature of a PNG file"
    at, packed, width, height, channels = 8, b"", 0, 0, 0
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8 : at + 8 + length]
        (crc,) = struct.unpack_from(">I", data, at + 8 + length)
        assert crc == zlib.crc32(kind + content), f"chunk {kind}"
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack_from(">IIBB", content)
            channels = {0: 1, 2: 3}[color]
            assert depth == 8
        packed += content if kind == b"IDAT" else b""
        at += length + 12
    line, pixels = 1 + width * channels, zlib.decompress(packed)
    assert len(pixels) == height * line and not any(pixels[::line]), "size of the pixels"
    return width, height, [list(pixels[y * line + 1 : (y + 1) * line]) for y in range(height)]


def images(tensor, description):
    assert tensor[1] == [7], "type of pictures"
    width, height, *files = tensor[8]
    assert fields(fields(tensor[2][0])[2][0])[1] == [2 + len(files)], "shape of the tensor"
    pictures = [picture(file) for file in files]
    for one in pictures:
        assert one[:2] == (int(width), int(height)), "size of a picture"
    return {"description": description, "width": int(width), "height": int(height),
            "pixels": [one[2] for one in pictures]}


def doubles(data):
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def histogram(found):
    (low,), (high,), (count,), (total,), (squares,) = (found[i] for i in (1, 2, 3, 4, 5))
    limits, counts = doubles(found[6][0]), doubles(found[7][0])
    assert len(limits) == len(counts) and limits == sorted(limits), "buckets"
    assert low <= limits[0] and limits[-1] == high and sum(counts) == count, "bounds"
    return {"low": low, "sum": total, "squares": squares, "limits": limits, "counts": counts}


def event(message):
    found = fields(message)
    result = {"wall_time": found[1][0], "step": found.get(2, [0])[0]}
    if 3 in found:
        result["version"] = text(found[3][0])
    if 7 in found:
        result["session"] = fields(found[7][0])[1][0]
    for value in fields(found[5][0])[1] if 5 in found else []:
        value = fields(value)
        tag = text(value[1][0])
        if 2 in value:
            assert tag not in result.setdefault("scalars", {}), f"{tag} twice"
            result["scalars"][tag] = value[2][0]
            continue
        if 5 in value:
            assert tag not in result.setdefault("histograms", {}), f"{tag} twice"
            result["histograms"][tag] = histogram(fields(value[5][0]))
            continue
        plugin = fields(fields(value[9][0])[1][0])
        name, tensor = text(plugin[1][0]), fields(value[8][0])
        if name == "text":
            assert tensor[1] == [7], "type of a text"
            result.setdefault("texts", {})[tag] = text(tensor[8][0])
        elif name == "images":
            result.setdefault("images", {})[tag] = images(tensor, text(fields(value[9][0])[3][0]))
        else:
            result.setdefault(name, {})[tag] = hparams(plugin[2][0])
    return result


with open(sys.argv[1], "rb") as file:
    for record in records(file.read()):
        print(json.dumps(event(record)))
