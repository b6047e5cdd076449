"""N lines in, N lines out: NUL, CR, BOM, U+2028, invalid UTF-8, enormous and empty ones, with or without an end."""

from attack import Attack, Failed

PIECES = (b"one", b"seventy-two", b"", b" ", b"\t", b"\r", b"a\rb", b"\x00", b"a\x00b", b"\xef\xbb\xbf", b"\xef\xbb\xbfone",
          "\u2028".encode(), "a\u2029b".encode(), "\u0085".encode(), b"\x0b", b"\x0c", b"\x1c", b"\xff\xfe", b"\xc3",
          b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", "日本語".encode(), "🙂".encode(), "e\u0301".encode() * 50,
          "\u200b\ufeff".encode(), "\u202e abc".encode(), b"@@ @@", b"</s>", b"<unk> <s> <pad>", "\u2581\u2581".encode(),
          b"x" * 20_000, b"one " * 5000, b"\\n", b"\x1a", b"1 2 3", b"-1", b"99999999999999999999")
COMMANDS = {
    "generate": ("generate", "run", "--beam", "1"),
    "encode": ("text", "encode", "--model", "run/vocabulary/source.model"),
    "encode to ids": ("text", "encode", "--model", "run/vocabulary/source.model", "--ids"),
    "decode": ("text", "decode", "--model", "run/vocabulary/source.model"),
}


class Lines(Attack):
    name = "lines"
    about = "300 odd lines (NUL, CR, BOM, U+2028, invalid UTF-8, 20 kB): as many come out of generate, encode and decode"
    short = 2

    def run(self, case):
        draw = self.draw(case)
        label = list(COMMANDS)[case % len(COMMANDS)]
        lines = [b"".join(draw.choices(PIECES, k=draw.choice((1, 1, 1, 2, 3)))) for _ in range(300)]
        ended_line = draw.choice((b"\n", b"\n", b"\r\n"))
        text = ended_line.join(lines) + draw.choice((ended_line, b""))
        count = text.count(b"\n") + (not text.endswith(b"\n") and text != b"")
        ended = self.lab.program.run(*COMMANDS[label], cwd=self.lab.half, stdin=text, limit=3 * self.lab.program.limit)
        ended.check(0, what=label)
        found = ended.out.count(b"\n")
        if found != count or not ended.out.endswith(b"\n"):
            raise Failed("other", f"{label}: {count} lines in, {found} out")
