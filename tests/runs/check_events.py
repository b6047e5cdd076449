"""Reads a TensorBoard event file by the published format and prints its scalars as JSON lines: an independent reader."""

import json
import struct
import sys

TABLE = []
for i in range(256):
    c = i
    for _ in range(8):
        c = (c >> 1) ^ (0x82F63B78 if c & 1 else 0)
    TABLE.append(c)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        head = data[at : at + 8]
        (length,) = struct.unpack("<Q", head)
        assert struct.unpack("<I", data[at + 8 : at + 12])[0] == masked_crc(head), "bad checksum of a length"
        body = data[at + 12 : at + 12 + length]
        assert struct.unpack("<I", data[at + 12 + length : at + 16 + length])[0] == masked_crc(body), "bad checksum"
        yield body
        at += 16 + length


def fields(message):
    """Number, wire type and value of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            yield number, varint()
        else:
            size = {1: 8, 5: 4}.get(kind) or varint()
            yield number, message[at : at + size]
            at += size


def main():
    data = open(sys.argv[1], "rb").read()
    first = True
    for record in records(data):
        event = dict(fields(record))
        if first:
            assert event[3] == b"brain.Event:2", "the first record is not the version"
            first = False
            continue
        value = dict(fields(dict(fields(event[5]))[1]))
        print(json.dumps([event[2], value[1].decode(), struct.unpack("<f", value[2])[0]]))
    assert not first, "an empty file"


main()
