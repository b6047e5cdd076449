"""Hostile SentencePiece models and dictionaries: an error of one line, or tokens; never a crash."""

from functools import cached_property

from attack import Attack, Failed
from lab import LINES

TEXT = LINES + "Größe ﬁn １２ ｶﾞ \u1e9b\u0323 日本語\u3000🙂\n".encode() + b"\n \n" + b"x" * 3000 + b"\n"
DICTIONARY = b"one 5\ntwo 4\nthree 3\n@@ 2\na@@ 1\n"
CODES = b"#version: 0.2\no n\non e</w>\nt w\ntw o</w>\n"
IN_TABLE, ANYWHERE = ("table size", "table size", "table of rubbish", "table"), ("anywhere", "pieces", "cut", "spliced")


def fields(content, begin, end):
    """(number, begin, end) of each field of a protobuf message that has a length."""
    def varint(at):
        value, shift = 0, 0
        while True:
            byte = content[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value, at

    at = begin
    while at < end:
        key, at = varint(at)
        if key & 7 == 2:
            size, at = varint(at)
            yield key >> 3, at, at + size
            at += size
        elif key & 7 == 0:
            at = varint(at)[1]
        else:
            at += {1: 8, 5: 4}[key & 7]


class Vocabularies(Attack):
    name = "vocabularies"
    about = "mutated SentencePiece models (tables of the normaliser, lengths, pieces), dictionaries and codes"
    short = 4

    @cached_property
    def model(self):
        return (self.lab.half / "run" / "vocabulary" / "source.model").read_bytes()

    @cached_property
    def charsmap(self):
        """Where the compiled table of the normaliser is: libsentencepiece trusts the size in its first four bytes."""
        for number, begin, end in fields(self.model, 0, len(self.model)):
            if number == 3:
                for inner, inner_begin, inner_end in fields(self.model, begin, end):
                    if inner == 2 and inner_end - inner_begin > 8:
                        return inner_begin, inner_end
        return None

    def mutant(self, draw):
        content, charsmap = bytearray(self.model), self.charsmap
        how = draw.choice(IN_TABLE + ANYWHERE if charsmap else ANYWHERE)
        if how == "table size":
            real, most = int.from_bytes(content[charsmap[0]:charsmap[0] + 4], "little"), charsmap[1] - charsmap[0] - 4
            size = draw.choice((0, 1, 4, most - 1, most, 1 << 31, (1 << 32) - 1, draw.randrange(real),
                                draw.randrange(real, most)))
            content[charsmap[0]:charsmap[0] + 4] = size.to_bytes(4, "little")
        elif how == "table of rubbish":  # few bytes are never looked at: most of the table is for other writing systems
            begin = charsmap[0] + 4 + draw.choice((0, 0, draw.randrange(2000)))
            size = draw.choice((64, 1024, 100_000))
            content[begin:min(begin + size, charsmap[1])] = draw.randbytes(min(begin + size, charsmap[1]) - begin)
        elif how in ("table", "anywhere", "pieces"):
            low, high = {"table": charsmap, "anywhere": (0, len(content)), "pieces": (0, 800)}[how]
            for _ in range(draw.randint(1, 8)):
                content[draw.randrange(low, min(high, len(content)))] = draw.randrange(256)
        elif how == "cut":
            del content[draw.randrange(len(content)):]
        else:
            at, size = draw.randrange(len(content)), draw.randrange(1, 200)
            content[at:at] = content[draw.randrange(len(content)):][:size]
        return how, bytes(content)

    def run(self, case):
        draw = self.draw(case)
        label, function = draw.choice((("encode", self.encode), ("decode", self.encode), ("prepare", self.prepare),
                                       ("generate", self.generate), ("dictionary", self.dictionary)))
        try:
            function(label, draw)
        except Failed as failed:
            raise Failed(failed.kind, f"{label}: {failed}") from None

    def checked(self, how, ended):
        try:
            ended.check(0, 2, 3)
        except Failed as failed:
            raise Failed(failed.kind, f"{how}: {failed}") from None

    def encode(self, command, draw):
        how, content = self.mutant(draw)
        folder = self.lab.folder()
        (folder / "m.model").write_bytes(content)
        self.checked(how, self.lab.program.run("text", command, "--model", "m.model", cwd=folder, stdin=TEXT))

    def prepare(self, _, draw):
        how, content = self.mutant(draw)
        folder = self.lab.copy(self.lab.prepared)
        (folder / "m.model").write_bytes(content)
        models = ("--set", "data.source_model=m.model", "--set", "data.target_model=m.model")
        self.checked(how, self.lab.program.run("prepare", "tiny.toml", *models, cwd=folder))

    def generate(self, _, draw):
        how, content = self.mutant(draw)
        folder = self.lab.copy(self.lab.half)
        for side in ("source", "target"):
            (folder / "run" / "vocabulary" / f"{side}.model").write_bytes(content)
        self.checked(how, self.lab.program.run("generate", "run", cwd=folder, stdin=TEXT))

    def dictionary(self, _, draw):
        folder = self.lab.folder()
        for name, content in (("d.txt", bytearray(DICTIONARY)), ("codes", bytearray(CODES))):
            for _ in range(draw.randint(0, 5)):
                content[draw.randrange(len(content))] = draw.choice((0, 10, 13, 32, 64, 255, draw.randrange(256)))
            (folder / name).write_bytes(content * draw.choice((1, 1, 1, 300)))
        codes = draw.choice(((), ("--codes", "codes")))
        ended = self.lab.program.run("text", "encode", "--dict", "d.txt", *codes, cwd=folder, stdin=TEXT)
        self.checked("a dictionary", ended)
