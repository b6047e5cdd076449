"""Reads a safetensors file into numpy arrays: a length, a JSON header, the data."""

import json

import numpy

TYPES = {"F32": numpy.float32, "F64": numpy.float64}


def load(path):
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__", None)
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"]).copy()
    return arrays
