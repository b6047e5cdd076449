"""`plumb text` from outside: training, both directions, and the frames of `serve`. Needs PLUMB_BIN_DIR."""

import collections
import gzip
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest
from pathlib import Path

BIN = Path(os.environ["PLUMB_BIN_DIR"])
PLUMB = str(BIN / "plumb")

LINES = [f"{who} {does} {what}" for who in ("the quick fox", "a lazy dog", "der alte Mann", "die Größe", "nobody")
         for does in ("jumps over", "sleeps under", "läuft durch", "sees") for what in ("the fence.", "12 houses!", "it all")]
ODD = ["", "a", "Straße, schön!", "привет мир", "日本語", "🙂 👍🏽", "<s> </s> <pad>", "x" * 3000, "1 2 3", "ﬁne ½ Ｆ", "e\u0301"]


def run(*arguments, data=b"", **options):
    if isinstance(data, str):
        data = data.encode()
    return subprocess.run([PLUMB, "text", *map(str, arguments)], input=data, capture_output=True, timeout=120, **options)


class Client:
    """Speaks to `plumb text serve` as src/plumb/text/frame.h describes it, with nothing of ours."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen([PLUMB, "text", "serve", *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def ask(self, request):
        self.process.stdin.write(struct.pack("<I", len(request)) + request)
        self.process.stdin.flush()
        (length,) = struct.unpack("<I", self.process.stdout.read(4))
        answer = self.process.stdout.read(length)
        assert len(answer) == length
        return answer

    def encode(self, lines):
        lines = [line.encode() for line in lines]
        body = b"".join(struct.pack("<I", len(line)) + line for line in lines)
        answer = self.ask(b"E" + struct.pack("<I", len(lines)) + body)
        kind, count = struct.unpack_from("<cI", answer)
        assert (kind, count) == (b"E", len(lines)), answer[:200]
        at, result = 5, []
        for _ in range(count):
            (n,) = struct.unpack_from("<I", answer, at)
            result.append(list(struct.unpack_from(f"<{n}i", answer, at + 4)))
            at += 4 + 4 * n
        assert at == len(answer)
        return result

    def decode(self, lists):
        body = b"".join(struct.pack(f"<I{len(ids)}i", len(ids), *ids) for ids in lists)
        answer = self.ask(b"D" + struct.pack("<I", len(lists)) + body)
        kind, count = struct.unpack_from("<cI", answer)
        assert (kind, count) == (b"D", len(lists)), answer[:200]
        at, result = 5, []
        for _ in range(count):
            (n,) = struct.unpack_from("<I", answer, at)
            result.append(answer[at + 4:at + 4 + n].decode())
            at += 4 + n
        assert at == len(answer)
        return result

    def close(self):
        """Its exit code after the end of its input, and what it said."""
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said.decode()


class TextTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="plumb_text_test_")
        cls.addClassCleanup(directory.cleanup)
        cls.folder = Path(directory.name)
        cls.text = cls.folder / "text"
        cls.text.write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
        cls.model = cls.folder / "m.model"
        result = run("train", "--input", cls.text, "--model", cls.model, "--vocab-size", 400, "--byte-fallback")
        assert result.returncode == 0, result.stderr
        (cls.folder / "codes").write_text("#version: 0.2\nl o\nlo w</w>\nlo w\ne r</w>\n")
        (cls.folder / "dict.txt").write_text("low 9\nlow@@ 8\ner 7\n. 6\n")

    def output(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.decode()

    def assert_error(self, result, code, *parts):
        said = result.stderr.decode()
        self.assertEqual(result.returncode, code, said)
        self.assertEqual(result.stdout, b"")
        self.assertRegex(said, r"\Aplumb: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, said)


class Train(TextTest):
    def test_the_same_text_gives_the_same_model(self):
        for kind in ("bpe", "unigram"):
            models = []
            for name in ("one", "two"):
                path = self.folder / f"{kind}-{name}.model"
                result = run("train", "--input", self.text, "--model", path, "--type", kind, "--vocab-size", 90)
                self.assertEqual(self.output(result), f"{path}\n")
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                models.append(path.read_bytes())
            self.assertEqual(models[0], models[1])

    def test_packed_and_windows_text_give_the_same_model_too(self):
        path = self.folder / "text.gz"
        path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + self.text.read_bytes().replace(b"\n", b"\r\n")))
        self.output(run("train", "--input", path, "--model", self.folder / "gz.model", "--vocab-size", 400, "--byte-fallback"))
        self.assertEqual((self.folder / "gz.model").read_bytes(), self.model.read_bytes())

    def test_the_cache_knows_text_and_options(self):
        cache = self.folder / "cache"
        train = ("train", "--input", self.text, "--cache", cache, "--vocab-size")
        first = self.output(run(*train, 90))
        self.assertTrue(Path(first.strip()).is_file())
        self.assertEqual(self.output(run(*train, 90)), first)
        self.assertNotEqual(self.output(run(*train, 91)), first)
        self.assertEqual(sorted(file.suffix for file in cache.iterdir()), [".model", ".model", ".sha256", ".sha256"])

    def test_dictionaries_of_words_and_characters_give_the_text_back(self):
        text = "The <unk> cat ,\n the  cat\tsat\n"
        corpus, words, characters = (self.folder / name for name in ("corpus", "words.txt", "characters.txt"))
        corpus.write_text(text)
        made = run("dictionary", "--input", corpus, "--output", words, "--lowercase")
        self.assertEqual((self.output(made), made.stderr), (f"{words}\n", b"8 ids\n"))
        self.assertEqual(words.read_text(), "cat 2\nthe 2\n, 1\nsat 1\n")
        choice = ("--dict", words, "--subwords", "word", "--lowercase")
        self.assertEqual(self.output(run("encode", "--ids", *choice, data=text)), "5 3 4 6\n5 4 7\n")
        self.assertEqual(self.output(run("decode", "--ids", *choice, data="5 3 4 6\n5 4 7\n")),
                         "the <unk> cat ,\nthe cat sat\n")

        self.output(run("dictionary", "--input", corpus, "--output", characters, "--subwords", "character"))
        counts = collections.Counter(text.replace("\n", "").replace(" ", "\u2581"))
        expected = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        self.assertEqual(characters.read_text(), "".join(f"{token} {count}\n" for token, count in expected))
        choice = ("--dict", characters, "--subwords", "character")
        for form in ((), ("--ids",)):
            encoded = self.output(run("encode", *form, *choice, data=text))
            self.assertEqual(self.output(run("decode", *form, *choice, data=encoded)), text)

    def test_dictionaries_that_cannot_be_made(self):
        out = ("--output", self.folder / "made.txt")
        self.assert_error(run("dictionary", *out), 2, "--input is required")
        self.assert_error(run("dictionary", "--input", self.text, *out, "--subwords", "bpe"), 2, "--subwords")
        self.assert_error(run("dictionary", "--input", self.text, *out, "--vocab-size", 4), 2, "4 specials only")
        self.assert_error(run("dictionary", "--input", self.text, *out, "--min-count", 10**9), 2, "text: nothing in it")
        self.assert_error(run("dictionary", "--input", self.text, "--output", self.folder / "no/x"), 4, "no/x")
        self.assertFalse((self.folder / "made.txt").exists())

    def test_mistakes_are_said_in_one_line(self):
        dictionary = ("--dict", self.folder / "dict.txt")
        self.assert_error(run("encode", *dictionary, "--subwords", "character"), 2, "'low' is not one character")
        self.assert_error(run("encode", *dictionary, "--subwords", "word", "--codes", self.folder / "codes"), 2, "--codes")
        self.assert_error(run("encode", "--model", self.model, "--subwords", "word"), 2, "--dict")
        out = ("--model", self.folder / "x.model")
        self.assert_error(run("train", *out), 2, "--input is required")
        self.assert_error(run("train", "--input", self.text), 2, "--model FILE or --cache DIR")
        self.assert_error(run("train", "--input", self.folder / "none", *out), 2, "none: cannot be opened")
        self.assert_error(run("train", "--input", self.text, *out, "--vocab-size", 10), 2, "vocab-size: 10 is too small")
        self.assert_error(run("train", "--input", self.text, *out, "--type", "word"), 2, "there is no type word")
        self.assert_error(run("train", "--input", self.text, "--model", self.folder / "no/x.model"), 4, "no/x.model")
        empty = self.folder / "empty"
        empty.write_bytes(b"")
        self.assert_error(run("train", "--input", empty, *out), 2, "empty: there is no text in it")
        latin = self.folder / "latin1"
        latin.write_bytes("Größe\n".encode("latin-1"))
        self.assert_error(run("train", "--input", latin, *out), 2, "latin1:1: byte 3 (0xF6) is not UTF-8", "iconv")
        packed = self.folder / "cut.gz"
        packed.write_bytes(gzip.compress(self.text.read_bytes())[:-20])
        self.assert_error(run("train", "--input", packed, *out), 3, "cut.gz: begins as gzip but")
        self.assertFalse((self.folder / "x.model").exists())


class BothWays(TextTest):
    def test_pieces_and_ids_give_the_text_back(self):
        text = "".join(line + "\n" for line in ODD)
        expected = "".join(" ".join(unicodedata.normalize("NFKC", line).split()) + "\n" for line in ODD)
        for ids in ((), ("--ids",)):
            encoded = run("encode", "--model", self.model, *ids, data=text)
            decoded = run("decode", "--model", self.model, *ids, data=self.output(encoded))
            self.assertEqual(self.output(decoded), expected)
            self.assertEqual(encoded.stderr + decoded.stderr, b"")

    def test_each_line_gives_one_line_whatever_it_holds(self):
        data = b"\xef\xbb\xbffine\r\n\xff\xfe\n\na\0b\nGr\xf6\xdfe\nlast"
        result = run("encode", "--model", self.model, data=data)
        self.assertEqual(len(self.output(result).splitlines()), 6)
        self.assertIn(b"in 3 of 6 lines", result.stderr)
        self.assertEqual(self.output(run("encode", "--model", self.model, data=b"")), "")
        self.assertEqual(self.output(run("encode", "--model", self.model, data=b"\n\n")), "\n\n")
        self.assertEqual(self.output(run("encode", "--model", self.model, data=gzip.compress(b"a\n"))),
                         self.output(run("encode", "--model", self.model, data=b"a\n")))

    def test_a_line_of_ten_megabytes(self):
        line = b"the quick fox jumps over " * 420000
        self.assertGreater(len(line), 10 << 20)
        ids = run("encode", "--ids", "--model", self.model, data=line)
        self.assertEqual(self.output(run("decode", "--ids", "--model", self.model, data=ids.stdout)),
                         line.decode().strip() + "\n")
        self.assert_error(run("encode", "--model", self.model, data=line + line), 2, "stdin:1: the line is longer")

    def test_lines_are_answered_as_they_come(self):
        process = subprocess.Popen([PLUMB, "text", "encode", "--model", str(self.model)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        for line in (b"the quick fox\n", b"\n", b"nobody\n"):
            process.stdin.write(line)
            process.stdin.flush()
            self.assertTrue(process.stdout.readline().endswith(b"\n"))
        process.stdin.close()
        self.assertEqual(process.stdout.read(), b"")
        self.assertEqual(process.wait(20), 0)
        process.stdout.close()

    def test_subword_nmt_and_fairseq_files(self):
        files = ("--dict", self.folder / "dict.txt", "--codes", self.folder / "codes")
        self.assertEqual(self.output(run("encode", *files, data="low lower .\nslow\n")), "low low@@ er .\ns@@ low\n")
        self.assertEqual(self.output(run("encode", "--ids", *files, data="low lower .\nslow\n")), "4 5 6 7\n3 4\n")
        self.assertEqual(self.output(run("decode", *files, data="low low@@ er .\ns@@ low\n")), "low lower .\nslow\n")
        self.assertEqual(self.output(run("decode", "--ids", *files, data="0 4 5 6 2 1 1\n")), "low lower\n")
        self.assertEqual(self.output(run("encode", "--ids", "--dict", self.folder / "dict.txt", data="low@@ er\n")), "5 6\n")

    def test_the_vocabulary_is_a_fairseq_dictionary(self):
        tokens = [line.rsplit(" ", 1)[0] for line in self.output(run("vocab", "--model", self.model)).splitlines()]
        ids = self.output(run("encode", "--ids", "--model", self.model, data="\n".join(LINES) + "\n"))
        pieces = self.output(run("encode", "--model", self.model, data="\n".join(LINES) + "\n"))
        for id_line, piece_line in zip(ids.splitlines(), pieces.splitlines()):
            self.assertEqual([tokens[int(i) - 4] for i in id_line.split()], piece_line.split(" "))

    def test_mistakes_are_said_in_one_line(self):
        self.assert_error(run(), 2, "PART is required")
        self.assert_error(run("encoed"), 2, "Did you mean encode?")
        self.assert_error(run("encode"), 2, "there is no tokeniser", "--model FILE")
        self.assert_error(run("encode", "--model", "a", "--dict", "b"), 2, "excludes")
        self.assert_error(run("encode", "--codes", "a"), 2, "--dict")
        self.assert_error(run("encode", "--model", self.folder / "none"), 2, "none: cannot be opened")
        self.assert_error(run("encode", "--model", self.text), 3, "text: is not a SentencePiece model")
        cut = self.folder / "cut.model"
        cut.write_bytes(self.model.read_bytes()[:-1000])
        self.assert_error(run("encode", "--model", cut), 3, "cut.model")
        self.assert_error(run("decode", "--ids", "--model", self.model, data="5 x\n"), 2, "stdin:1: 'x' is not an id")
        self.assert_error(run("decode", "--ids", "--model", self.model, data="99999\n"), 2, "id 99999")
        self.assert_error(run("decode", "--ids", "--model", self.model, data="-1\n"), 2, "id -1")

    def test_every_part_has_help_with_an_example(self):
        for part in ("train", "dictionary", "encode", "decode", "vocab", "serve"):
            text = self.output(run(part, "--help"))
            self.assertIn(f"Example:\n  plumb text {part} ", text)


class Serve(TextTest):
    def client(self, *arguments, **options):
        client = Client(*(arguments or ("--model", self.model)), **options)
        self.addCleanup(client.process.stderr.close)
        self.addCleanup(client.process.stdout.close)
        self.addCleanup(client.process.stdin.close)
        self.addCleanup(client.process.wait)
        self.addCleanup(client.process.kill)
        return client

    def test_answers_what_encode_and_decode_print(self):
        client = self.client()
        lines = LINES + ODD
        ids = client.encode(lines)
        printed = self.output(run("encode", "--ids", "--model", self.model, data="\n".join(lines) + "\n"))
        self.assertEqual(ids, [[int(i) for i in line.split()] for line in printed.split("\n")[:-1]])
        printed = self.output(run("decode", "--ids", "--model", self.model, data=printed))
        self.assertEqual(client.decode(ids), printed.split("\n")[:-1])
        self.assertEqual(client.close(), (0, ""))

    def test_thousands_of_questions_and_a_large_one(self):
        client = self.client()
        for i in range(3000):
            self.assertEqual(client.decode(client.encode([f"question {i}"])), [f"question {i}"])
        self.assertEqual(client.encode([]), [])
        large = ("the quick fox jumps over " * 420000).strip()
        self.assertEqual(client.decode(client.encode([large])), [large])
        self.assertEqual(len(client.encode(LINES * 2000)), 2000 * len(LINES))
        self.assertEqual(client.close(), (0, ""))

    def test_size_and_vocabulary(self):
        client = self.client()
        kind, size, length = struct.unpack_from("<cII", client.ask(b"I"))
        self.assertEqual((kind, length), (b"I", 64))
        kind, count = struct.unpack_from("<cI", client.ask(b"V"))
        self.assertEqual((kind, count), (b"V", size))

    def test_subword_nmt_files_are_served_as_well(self):
        client = self.client("--dict", self.folder / "dict.txt", "--codes", self.folder / "codes")
        self.assertEqual(client.encode(["low lower ."]), [[4, 5, 6, 7]])

    def test_a_model_that_is_not_there_is_answered_and_not_printed(self):
        client = self.client("--model", self.folder / "none")
        answer = client.ask(b"I")
        self.assertEqual(answer[:2], b"!\x02")
        self.assertIn(b"none: cannot be opened", answer)
        self.assertEqual(client.close(), (2, ""))
        self.assert_error(run("serve", "--model", self.folder / "none"), 2, "none: cannot be opened")

    def test_nonsense_is_answered_and_the_next_question_too(self):
        client = self.client()
        for request in (b"", b"?", b"E", b"E\xff\xff\xff\xff", b"D\1\0\0\0\1\0\0\0\xff\xff\xff\x7f"):
            self.assertEqual(client.ask(request)[:1], b"!")
        self.assertEqual(client.decode(client.encode(["still here"])), ["still here"])
        client.process.stdin.write(b"\x10\0\0\0half")
        code, said = client.close()
        self.assertEqual(code, 1)
        self.assertRegex(said, r"\Aplumb: [^\n]*inside a frame[^\n]*\n\Z")

    def test_the_signals_of_the_terminal_do_not_end_it(self):
        client = self.client()
        client.encode(["it is up"])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
            client.process.send_signal(number)
        self.assertEqual(client.decode(client.encode(["still here"])), ["still here"])
        self.assertEqual(client.close(), (0, ""))

    def test_it_ends_with_its_parent_even_if_its_input_stays_open(self):
        # A parent that starts the server, says its pid, and waits to be killed. The test holds the input open.
        script = ("import subprocess, sys, time\n"
                  "child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=1)\n"
                  "print(child.pid, file=sys.stderr, flush=True)\n"
                  "time.sleep(60)\n")
        parent = subprocess.Popen([sys.executable, "-c", script, PLUMB, "text", "serve", "--model", str(self.model)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(parent.stderr.close)
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.stdin.close)
        pid = int(parent.stderr.readline())
        parent.stdin.write(struct.pack("<I", 1) + b"I")
        parent.stdin.flush()
        self.assertEqual(parent.stdout.read(5)[4:], b"I")
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 10
        while self.is_running(pid):
            self.assertLess(time.monotonic(), deadline, "it outlives its parent")
            time.sleep(0.02)

    @staticmethod
    def is_running(pid):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return False
        return state != "Z"


if __name__ == "__main__":
    unittest.main()
