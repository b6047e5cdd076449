"""`plumb score` from outside: published numbers, every metric, several references and sets, damaged input."""

import gzip
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["PLUMB_BIN_DIR"])
SOURCE = Path(os.environ.get("PLUMB_SOURCE_DIR", Path(__file__).resolve().parents[2]))

# sacreBLEU's own example; the numbers below are those of its tests and README.
HYPOTHESES = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
FIRST = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
SECOND = ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]


class Score(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plumb_score_test_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.first, self.second, self.hyp = (
            self.write(name, "\n".join(lines) + "\n")
            for name, lines in (("ref1", FIRST), ("ref2", SECOND), ("hyp", HYPOTHESES)))

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run_score(self, *arguments, stdin=b""):
        done = subprocess.run([str(BIN / "plumb"), "score", *arguments], input=stdin, capture_output=True, timeout=60)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def lines(self, *arguments, stdin=b"", notes=""):
        code, out, err = self.run_score(*arguments, stdin=stdin)
        self.assertEqual((code, err), (0, notes))
        return out.splitlines()

    def json(self, *arguments, stdin=b""):
        return json.loads("\n".join(self.lines(*arguments, "--json", stdin=stdin)))

    def assert_error(self, *arguments, stdin=b"", parts=(), code=2):
        found, out, err = self.run_score(*arguments, stdin=stdin)
        self.assertEqual((found, out), (code, ""), err)
        self.assertRegex(err, r"\Aplumb: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, err)


class Numbers(Score):
    def test_bleu_is_sacrebleus_with_two_references(self):
        arguments = ("bleu", "--ref", self.first, "--ref", self.second)
        line, signature = self.lines(*arguments, "--hyp", self.hyp)
        self.assertEqual(
            line, "BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)")
        self.assertRegex(
            signature, r"^signature: nrefs:2\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:plumb-[\d.]+-compat-2\.6\.0$")
        self.assertAlmostEqual(self.json(*arguments, "--hyp", self.hyp)["score"], 48.530827, 6)

    def test_stdin_is_the_system_unless_hyp_is_given(self):
        stdin = Path(self.hyp).read_bytes()
        self.assertEqual(self.lines("chrf", "--ref", self.first, stdin=stdin),
                         self.lines("chrf", "--ref", self.first, "--hyp", self.hyp))

    def test_tokenised_bleu_says_that_it_is_multi_bleus(self):
        arguments = ("bleu", "--ref", self.first, "--ref", self.second, "--hyp", self.hyp, "--tokenize", "none")
        self.assertTrue(self.lines(*arguments)[0].startswith("BLEU (multi-bleu, tokenised) = 49.19 "))
        smoothed = self.lines(*arguments, "--smooth", "exp")  # sacreBLEU -tok none
        self.assertTrue(smoothed[0].startswith("BLEU = 49.19 "))
        self.assertIn("|tok:none|smooth:exp|", smoothed[1])

    def test_every_metric_equals_the_golden_corpus(self):
        golden = json.loads((SOURCE / "tests/golden/metric_scores.json").read_text())
        cases, corpus = golden["cases"], golden["corpus"]
        hyp = self.write("golden.hyp", "".join(case["hypothesis"] + "\n" for case in cases))
        most = max(len(case["references"]) for case in cases)
        several = []
        for i in range(most):  # where a line has fewer references its first is given again
            lines = (case["references"][i if i < len(case["references"]) else 0] for case in cases)
            several += ["--ref", self.write(f"golden.ref{i}", "".join(line + "\n" for line in lines))]
        expected = {
            "bleu": corpus["bleu"]["exp"], "chrf": corpus["chrf"]["chrf"], "chrf++": corpus["chrf"]["chrf++"],
            "rouge": corpus["rouge"][2], "exact": corpus["exact"],
            "wer": corpus["word_edits"]["rate"], "cer": corpus["character_edits"]["rate"],
        }
        for metric, value in expected.items():
            references = several[:2] if metric in ("wer", "cer") else several
            found = self.json(metric, *references, "--hyp", hyp)
            self.assertAlmostEqual(found["score"], value, 9, metric)
            self.assertEqual(found["metric"], metric)
            self.assertTrue(found["signature"].startswith(f"nrefs:{len(references) // 2}|"))
        self.assertAlmostEqual(self.json("bleu", *several, "--hyp", hyp, "--lowercase")["score"],
                               corpus["bleu"]["lowercase"], 9)
        edits = self.json("wer", *several[:2], "--hyp", hyp)["parts"]
        self.assertEqual([edits[key] for key in ("substitutions", "deletions", "insertions", "ref_len")],
                         corpus["word_edits"]["edits"])

    def test_labels(self):
        labels, found = self.write("labels", "0\n1\n0\n1\n0\n"), self.write("found", "0\n0\n1\n1\n0\n")
        self.assertEqual(self.lines("f1", "--ref", labels, "--hyp", found)[0],
                         "F1 = 50.00 (precision = 50.00 recall = 50.00 TP = 1 FP = 1 FN = 1) "
                         "majority = 60.00 always_1 = 57.14")
        self.assertEqual(self.lines("accuracy", "--ref", labels, "--hyp", found)[0],
                         "accuracy = 60.00 (3 of 5) majority = 60.00")
        self.assertEqual(self.json("accuracy", "--ref", labels, "--hyp", found)["parts"],
                         {"right": 3, "lines": 5, "majority": 60})

    def test_rouge_takes_stems_when_asked(self):
        golden = json.loads((SOURCE / "tests/golden/metric_scores.json").read_text())
        cases = [case for case in golden["cases"] if len(case["references"]) == 1]
        hyp = self.write("stem.hyp", "".join(case["hypothesis"] + "\n" for case in cases))
        ref = self.write("stem.ref", "".join(case["references"][0] + "\n" for case in cases))
        for key, *options in (("rouge",), ("rouge_stem", "--stem")):
            found = self.json("rouge", "--ref", ref, "--hyp", hyp, *options)
            for i, part in enumerate(("rouge1", "rouge2", "rougeL")):
                self.assertAlmostEqual(found["parts"][part], sum(case[key][i] for case in cases) / len(cases), 9)
            self.assertIn("|stem:porter|" if options else "|stem:no|", found["signature"])

    def test_confidence_adds_an_interval_to_every_metric(self):
        reference = self.write("long.ref", "".join(f"{i % 2}\n" for i in range(60)))
        system = self.write("system", "".join(f"{i % 2 if i % 9 else 1}\n" for i in range(60)))
        for metric in ("chrf", "chrf++", "rouge", "wer", "cer", "accuracy", "f1", "exact"):  # bleu needs four words
            plain = self.json(metric, "--ref", reference, "--hyp", system)
            found = self.json(metric, "--ref", reference, "--hyp", system, "--confidence")
            self.assertEqual((found["score"], found["parts"]), (plain["score"], plain["parts"]), metric)
            low, high = found["interval"]
            self.assertTrue(low < found["score"] < high and low < found["mean"] < high, metric)
            self.assertIn("|bs:1000|seed:12345|", found["signature"])
            self.assertEqual("intervals" in found, metric == "rouge")
            text = "\n".join(self.lines(metric, "--ref", reference, "--hyp", system, "--confidence"))
            self.assertRegex(text, r"(?m)^95 % of the resampled test sets +score +mean +from +to$")
        # 56 or so of 60 lines are right: the interval is the one of a binomial proportion.
        share, deviation = found["score"], 100 * (0.95 * 0.05 / 60) ** 0.5
        self.assertAlmostEqual(found["interval"][1] - found["interval"][0], 4 * deviation, delta=2.5)
        self.assertGreater(share, 90)

    def test_confidence_of_rouge_has_all_three(self):
        found = self.json("rouge", "--ref", self.first, "--hyp", self.hyp, "--confidence")
        self.assertEqual(sorted(found["intervals"]), ["rouge1", "rouge2", "rougeL"])
        for name, one in found["intervals"].items():
            self.assertAlmostEqual(one["score"], found["parts"][name], 9)
            self.assertTrue(one["interval"][0] <= one["score"] <= one["interval"][1], name)
        self.assertEqual(found["interval"], found["intervals"]["rougeL"]["interval"])
        text = "\n".join(self.lines("rouge", "--ref", self.first, "--hyp", self.hyp, "--confidence"))
        for name in ("rouge1", "rouge2", "rougeL"):
            self.assertRegex(text, rf"(?m)^{name} +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d$")
        self.assertNotRegex(text, r"(?m)^rouge ")

    def test_confidence_with_blank_references_among_others(self):
        reference = self.write("gaps", "a b\n\n")
        found = self.json("wer", "--ref", reference, "--confidence", stdin=b"a x\nx\n")
        self.assertEqual(found["score"], 100)  # two errors, two words
        self.assertEqual(found["interval"], [50, 100])  # and nothing infinite, though the second line alone would be

    def test_sets_are_scored_apart_and_averaged(self):
        single = [self.json("chrf", "--ref", ref, "--hyp", self.hyp)["score"] for ref in (self.first, self.second)]
        arguments = ("chrf", "--set", self.first, self.hyp, "--set", self.second, self.hyp)
        both = self.json(*arguments)
        self.assertEqual([one["score"] for one in both["sets"]], single)
        self.assertAlmostEqual(both["score"], sum(single) / 2, 12)
        text = self.lines(*arguments)
        self.assertEqual(text[0], f"{self.hyp}: chrF2 = {single[0]:.2f}")
        self.assertEqual(text[2], f"average = {sum(single) / 2:.2f}")

    def test_baseline_adds_the_paired_bootstrap(self):
        reference = self.write("long.ref", "".join(f"w{i} a b c d e f {i}\n" for i in range(60)))
        good = self.write("good", "".join(f"w{i} a b c d e f {i if i % 9 else 'x'}\n" for i in range(60)))
        bad = self.write("bad", "".join(f"w{i} a b x d e f {i}\n" for i in range(60)))
        found = self.json("bleu", "--ref", reference, "--hyp", good, "--baseline", bad)
        self.assertEqual(found["score"], self.json("bleu", "--ref", reference, "--hyp", good)["score"])
        self.assertEqual(found["baseline"]["score"], self.json("bleu", "--ref", reference, "--hyp", bad)["score"])
        self.assertLess(found["interval"][0], found["score"])
        self.assertGreater(found["interval"][1], found["score"])
        self.assertLess(found["p_value"], 0.01)
        self.assertIn("|bs:1000|seed:12345|", found["signature"])
        self.assertEqual(self.json("wer", "--ref", reference, "--hyp", good, "--baseline", good)["p_value"], 1)
        text = "\n".join(self.lines("bleu", "--ref", reference, "--hyp", good, "--baseline", bad))
        self.assertRegex(text, r"(?m)^system +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d$")
        self.assertRegex(text, r"(?m)^difference = \+\d+\.\d\d, p = 0\.00\d\d$")


class Input(Score):
    def test_windows_files_give_the_same_score_and_a_note(self):
        windows = self.write("windows", b"\xef\xbb\xbf" + "\r\n".join(HYPOTHESES).encode() + b"\r\n")
        notes = f"plumb: {windows}: byte order mark removed\nplumb: {windows}: Windows line ends removed\n"
        self.assertEqual(self.lines("bleu", "--ref", self.first, "--hyp", windows, notes=notes),
                         self.lines("bleu", "--ref", self.first, "--hyp", self.hyp))

    def test_packed_files_and_pipes_are_files_too(self):
        packed = self.write("ref.gz", gzip.compress(Path(self.first).read_bytes()))
        plain = self.lines("bleu", "--ref", self.first, "--hyp", self.hyp)
        self.assertEqual(self.lines("bleu", "--ref", packed, "--hyp", self.hyp), plain)
        self.assertEqual(self.lines("bleu", "--ref", "/dev/stdin", "--hyp", self.hyp,
                                    stdin=Path(self.first).read_bytes()), plain)

    def test_empty_hypotheses_count(self):
        self.assertEqual(self.json("bleu", "--ref", self.first, stdin=b"\n\n\n")["score"], 0)
        self.assertEqual(self.json("wer", "--ref", self.first, stdin=b"\n\n\n")["score"], 100)

    def test_different_numbers_of_lines(self):
        self.assert_error("bleu", "--ref", self.first, stdin=b"one\ntwo\n", parts=("stdin: has 2 lines", "ref1 has 3"))
        short = self.write("short", "one\n")
        self.assert_error("bleu", "--ref", self.first, "--ref", short, "--hyp", self.hyp, parts=("short: has 1 lines",))
        self.assert_error("bleu", "--ref", self.first, "--hyp", self.hyp, "--baseline", short, parts=("short: has 1",))

    def test_files_that_cannot_be_scored(self):
        self.assert_error("bleu", "--ref", str(self.folder / "none"), parts=("none: cannot be opened",))
        self.assert_error("bleu", "--ref", str(self.folder), parts=("directory",))
        self.assert_error("bleu", "--ref", self.first, stdin=b"", parts=("stdin: has no lines",))
        self.assert_error("bleu", "--ref", self.write("empty", ""), "--hyp", self.hyp, parts=("empty: has no lines",))
        latin = self.write("latin", "a\nGröße\nb\n".encode("latin-1"))
        self.assert_error("bleu", "--ref", self.first, "--hyp", latin, parts=("latin:2", "UTF-8"))
        blank = self.write("blank", "\n \n\n")
        self.assert_error("wer", "--ref", blank, "--hyp", self.hyp, parts=("blank",))
        self.assert_error("wer", "--ref", blank, "--hyp", blank, "--baseline", self.hyp, parts=("blank",))

    def test_labels_that_are_no_labels(self):
        labels = self.write("labels", "0\n1\nyes\n")
        self.assert_error("f1", "--ref", labels, "--hyp", labels, parts=("labels:3", "yes", "0 or 1"))
        self.assert_error("f1", "--ref", self.write("gap", "0\n\n"), stdin=b"0\n1\n", parts=("gap:2", "missing"))

    def test_arguments_that_do_not_fit(self):
        self.assert_error("blue", "--ref", self.first, parts=("Did you mean bleu?",))
        self.assert_error("bleu", parts=("--ref FILE", "--set REF HYP"))
        self.assert_error("wer", "--ref", self.first, "--ref", self.second, parts=("one reference",))
        self.assert_error("wer", "--ref", self.first, "--tokenize", "none", parts=("bleu",))
        self.assert_error("bleu", "--ref", self.first, "--tokenize", "intl", parts=("13a",))
        self.assert_error("bleu", "--ref", self.first, "--stem", parts=("--stem belongs to rouge",))
        self.assert_error("bleu", "--ref", self.first, "--confidence", "--baseline", self.hyp, parts=("excludes",))
        self.assert_error("bleu", "--set", self.first, self.hyp, "--confidence", parts=("excludes",))
        self.assert_error("bleu", "--set", self.first, parts=("--set",))
        self.assert_error("bleu", "--set", self.first, self.hyp, "--ref", self.first, parts=("excludes",))
        self.assert_error("bleu", "--set", self.first, self.hyp, "--baseline", self.hyp, parts=("excludes",))
        self.assert_error(parts=("METRIC is required",))


if __name__ == "__main__":
    unittest.main()
