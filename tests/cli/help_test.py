"""plumb help: the same text as --help, a man page that groff has no complaint about, a completion that bash uses."""

import os
import shutil
import subprocess
import tempfile
import unittest

BIN = os.environ["PLUMB_BIN_DIR"]
PLUMB = os.path.join(BIN, "plumb")


def run(*arguments):
    return subprocess.run([PLUMB, *arguments], capture_output=True, text=True, timeout=120, check=False)


def output(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Help(unittest.TestCase):
    def test_help_of_a_command_is_its_own_help(self):
        self.assertEqual(output("help"), output("--help"))
        for command in (["list"], ["train"], ["text"], ["text", "encode"], ["help"]):
            self.assertEqual(output("help", *command), output(*command, "--help"), command)

    def test_unknown_commands_are_refused(self):
        done = run("help", "trian")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Did you mean train?", done.stderr)
        self.assertEqual(run("help", "train", "--man").returncode, 2)


class ManPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = output("help", "--man")

    def test_every_option_of_every_command_is_in_it(self):
        for command in output("list", "commands", "--json").split('"name": "')[1:]:
            name = command[: command.index('"')]
            section = self.page[self.page.index(f"\n.SS plumb {name}\n") :].split("\n.SS ")[1].replace("\\-", "-")
            for word in output(name, "--help").split():
                if word.startswith("--") and word.strip("-,").replace("-", "").isalpha():
                    self.assertIn(word.strip(","), section, name)

    def test_every_variant_and_config_key_is_in_it(self):
        for table in ("variants", "config", "tasks", "metrics", "probes"):
            for row in output("list", table, "--json").split('"name": "')[1:]:
                name = row[: row.index('"')].replace("-", "\\-")
                self.assertIn(f"\\fB{name}\\fR", self.page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_complaint(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-b", "-P-cbou"], input=self.page, capture_output=True, text=True,
                              encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue("CONFIGURATION KEYS" in done.stdout)


# Sources the completion, sets what bash sets before it calls the function, and prints what it answers.
ASK = r"""
compopt() { :; }
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_plumb
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = tempfile.NamedTemporaryFile("w", suffix=".bash")
        cls.file.write(output("help", "--completion"))
        cls.file.flush()
        cls.addClassCleanup(cls.file.close)

    def ask(self, *words):
        done = subprocess.run(["bash", "-u", "-c", ASK, "ask", self.file.name, *words], capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_it_is_a_script_and_registers_itself(self):
        subprocess.run(["bash", "-n", self.file.name], check=True)
        done = subprocess.run(["bash", "-c", 'source "$0" && complete -p plumb', self.file.name], capture_output=True,
                              text=True, check=True)
        self.assertIn("_plumb", done.stdout)

    def test_commands_options_and_parts(self):
        self.assertEqual(self.ask("plumb", "ev"), ["evaluate"])
        self.assertEqual(self.ask("plumb", "train", "--dry"), ["--dry-run"])
        self.assertEqual(self.ask("plumb", "train", "x.toml", "--resu"), ["--resume"])
        self.assertEqual(self.ask("plumb", "text", "enc"), ["encode"])
        self.assertEqual(self.ask("plumb", "text", "encode", "--id"), ["--ids"])
        self.assertEqual(self.ask("plumb", "list", "vari"), ["variants"])
        self.assertEqual(self.ask("plumb", "help", "repo"), ["report"])
        self.assertEqual(self.ask("plumb", "score", "chrf+"), ["chrf++"])
        self.assertEqual(self.ask("plumb", "train", "x.to"), [])  # bash completes files then

    def test_keys_and_values_of_set(self):
        self.assertEqual(self.ask("plumb", "train", "x.toml", "--set", "model.varian"), ["model.variant="])
        self.assertIn("b2t", self.ask("plumb", "train", "x.toml", "--set", "model.variant", "="))
        self.assertEqual(self.ask("plumb", "train", "x.toml", "--set", "model.variant", "=", "b2t_p"), ["b2t_past_norm"])
        self.assertEqual(self.ask("plumb", "train", "x.toml", "--set", "ops", "=", "re"), ["reference"])

    def test_lists_after_a_comma(self):
        self.assertEqual(self.ask("plumb", "probe", "x.toml", "--compare", "post_ln,b2t_p"), ["post_ln,b2t_past_norm"])


if __name__ == "__main__":
    unittest.main()
