#!/usr/bin/env python3
"""Checks a safetensors file by the published format, without any code of Plumb and with the standard library only.

    check_safetensors.py FILE [EXPECTED.json]

Prints {name: {"dtype", "shape", "sum"}} as JSON. EXPECTED.json has the same form; every field that it gives must
agree. Beyond what a reader must demand, it checks what the reference writer does: padding to 8 bytes, and tensors
by descending type, then by name. Exits 1 with one line on the first violation.
"""

import json
import math
import struct
import sys

# In the reference's order of types, lowest first: element size, struct letter.
DTYPES = {
    "BOOL": (1, "?"), "U8": (1, "B"), "I8": (1, "b"), "I16": (2, "h"), "F16": (2, "e"), "BF16": (2, None),
    "I32": (4, "i"), "F32": (4, "f"), "F64": (8, "d"), "I64": (8, "q"),
}
RANK = {name: rank for rank, name in enumerate(DTYPES)}
CHUNK = 1 << 20


class Violation(Exception):
    pass


def demand(condition, problem):
    if not condition:
        raise Violation(problem)


def unique(pairs):
    names = [name for name, _ in pairs]
    demand(len(names) == len(set(names)), f"a key occurs twice among {names[:5]}")
    return dict(pairs)


def is_count(value):
    return type(value) is int and value >= 0  # bool is an int in Python, not in the format


def read_header(file, size):
    demand(size >= 8, "shorter than 8 bytes")
    (length,) = struct.unpack("<Q", file.read(8))
    demand(length <= 100_000_000, f"header length {length}")
    demand(8 + length <= size, f"header length {length} in a file of {size} bytes")
    demand(length % 8 == 0, f"header length {length} is not padded to 8")
    text = file.read(length).decode("utf-8")
    demand(text.startswith("{"), "header does not start with {")
    demand(text.rstrip(" ").endswith("}"), "header is padded with something else than spaces")
    return json.loads(text, object_pairs_hook=unique), 8 + length


def check_entry(name, info):
    demand(isinstance(info, dict) and set(info) == {"dtype", "shape", "data_offsets"}, f"{name}: fields")
    demand(info["dtype"] in DTYPES, f"{name}: dtype {info['dtype']}")
    demand(isinstance(info["shape"], list) and all(map(is_count, info["shape"])), f"{name}: shape {info['shape']}")
    offsets = info["data_offsets"]
    demand(isinstance(offsets, list) and len(offsets) == 2 and all(map(is_count, offsets)), f"{name}: offsets")
    size = DTYPES[info["dtype"]][0]
    demand(offsets[1] - offsets[0] == math.prod(info["shape"]) * size, f"{name}: size does not fit the shape")
    demand(offsets[0] % size == 0, f"{name}: not aligned")


def check_layout(tensors, data_size):
    covered, before = 0, None
    for name, info in tensors.items():  # in the header's order, which must be the order of the bytes
        begin, end = info["data_offsets"]
        demand(begin == covered, f"{name}: begins at {begin}, the one before ends at {covered}")
        covered = end
        place = (-RANK[info["dtype"]], name.encode("utf-8"))
        demand(before is None or before < place, f"{name}: out of order")
        before = place
    demand(covered == data_size, f"tensors cover {covered} of {data_size} bytes")


def values(file, offset, length, dtype):
    file.seek(offset)
    while length > 0:
        chunk = file.read(min(CHUNK, length))
        demand(len(chunk) > 0, "file ends inside a tensor")
        length -= len(chunk)
        if dtype == "BF16":  # the upper half of a float
            for (half,) in struct.iter_unpack("<H", chunk):
                yield struct.unpack("<f", struct.pack("<I", half << 16))[0]
        else:
            for (value,) in struct.iter_unpack("<" + DTYPES[dtype][1], chunk):
                yield float(value)


def total(numbers):
    numbers = list(numbers)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # infinities of both signs, or finite numbers beyond the range
        return sum(numbers)


def check(path):
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        header, start = read_header(file, size)
        metadata = header.pop("__metadata__", {})
        demand(isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values()), "__metadata__")
        for name, info in header.items():
            check_entry(name, info)
        check_layout(header, size - start)
        found = {}
        for name, info in header.items():
            begin, end = info["data_offsets"]
            number = total(values(file, start + begin, end - begin, info["dtype"]))
            found[name] = {"dtype": info["dtype"], "shape": info["shape"],
                           "sum": number if math.isfinite(number) else str(number)}
        return found


def compare(found, expected):
    demand(set(found) == set(expected), f"names {sorted(found)}, expected {sorted(expected)}")
    for name, fields in expected.items():
        for field, value in fields.items():
            demand(found[name][field] == value, f"{name}: {field} is {found[name][field]}, expected {value}")


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        found = check(arguments[0])
        if len(arguments) == 2:
            with open(arguments[1], encoding="utf-8") as file:
                compare(found, json.load(file))
    except (Violation, OSError, ValueError) as error:  # ValueError: bad JSON, bad UTF-8
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 1
    json.dump(found, sys.stdout, ensure_ascii=False)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
