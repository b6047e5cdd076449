"""The checks in tools/: each finds its violation in a small tree, and the real tree passes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import check_programs  # noqa: E402
import tree  # noqa: E402

TABLE = '{.name = "pre_ln"},\n{.name = "b2t"},\n'


def run(check, root, *arguments):
    command = [sys.executable, str(ROOT / "tools" / f"check_{check}.py"), "--root", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


class ToolsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)

    def write(self, path, content=""):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content, encoding="utf-8")

    def assert_finds(self, check, *lines):
        result = run(check, self.root)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(len(result.stdout.splitlines()) - 1, len(lines), result.stdout)
        for line in lines:
            self.assertIn(line, result.stdout)

    def assert_passes(self, check, root=None, *arguments):
        result = run(check, root or self.root, *arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Includes(ToolsTest):
    def source(self, path, *includes):
        self.write(f"src/plumb/{path}", "#pragma once\n" + "".join(f"#include {name}\n" for name in includes))

    def test_down_and_own_folder(self):
        self.source("nn/layer.h", '"plumb/nn/linear.h"', '"plumb/ops/norm.h"', '"plumb/base/error.h"', "<ATen/ATen.h>")
        self.source("spm/model.h", '"plumb/text/vocabulary.h"', "<string>")
        self.source("ops/fused/norm.cpp", '"plumb/ops/norm.h"', '"plumb/kernel/norm.h"')
        self.source("cli/engine.cpp", '"plumb/train/loop.h"', '"plumb/report/page.h"')
        self.assert_passes("includes")

    def test_upwards(self):
        self.source("base/error.h", '"plumb/config/config.h"')
        self.source("ops/norm.h", "<vector>", '"plumb/nn/layer.h"')
        self.assert_finds("includes", "src/plumb/base/error.h:2: base includes config upwards",
                          "src/plumb/ops/norm.h:3: ops includes nn upwards")

    def test_sideways_and_other_side(self):
        self.source("ops/norm.h", '"plumb/store/parameter_store.h"')
        self.source("report/page.h", '"plumb/nn/layer.h"')
        self.source("text/words.h", '"plumb/spm/model.h"')
        self.assert_finds("includes", "ops includes store sideways", "report (front) must not include nn (torch)",
                          "text (plain) must not include spm (front)")

    def test_unknown_folder(self):
        self.source("attic/old.h")
        self.source("nn/layer.h", '"plumb/attic/old.h"', '"linear.h"')
        self.assert_finds("includes", "attic/old.h:1: the folder attic is not in the ladder",
                          "nn/layer.h:2: the folder attic", "nn/layer.h:3: our headers")

    def test_torch_stays_on_its_side(self):
        self.source("config/config.h", "<ATen/core/Tensor.h>")
        self.source("nn/layer.h", "<torch/torch.h>")
        self.assert_finds("includes", "config is a folder without torch", "torch/torch.h costs 20 s")

    def test_pragma_and_oracle(self):
        self.write("src/plumb/base/error.h")
        self.write("tests/oracle/norm.cpp", '#include "plumb/ops/norm.h"\n#include <ATen/ATen.h>\n')
        self.assert_finds("includes", "error.h:1: no #pragma once", "norm.cpp:1: the oracle", "norm.cpp:2: the oracle")


class RowNames(ToolsTest):
    def setUp(self):
        super().setUp()
        self.write("src/plumb/catalogue/variants.cpp", TABLE)
        self.write("src/plumb/catalogue/probes.cpp", '    {.name = "lemmas"},\n    {.name = "update"},\n')
        self.write("src/plumb/catalogue/metrics.cpp", '    {.name = "bleu"},\n    {.name = "exact"},\n')

    def test_finds_a_name(self):
        self.write("src/plumb/nn/layer.cpp", '\nif (row.name == "b2t") return;\n')
        self.assert_finds("row_names", 'src/plumb/nn/layer.cpp:2: names the variant "b2t"')

    def test_finds_probes_and_metrics(self):
        self.write("src/plumb/cli/probe.cpp", 'run("lemmas");\nif (row.name != "update") return;\nfind_probe("update");\n')
        self.write("src/plumb/cli/score.cpp", 'if (metric == "exact") return;\nif (name == "bleu") return;\n')
        self.assert_finds("row_names", 'probe.cpp:1: names the probe "lemmas"', 'probe.cpp:2: names the probe "update"',
                          'probe.cpp:3: names the probe "update"', 'score.cpp:1: names the metric "exact"',
                          'score.cpp:2: names the metric "bleu"')

    def test_finds_names_in_the_scripts_of_the_page(self):
        self.write("src/plumb/report/assets/88_probes.js",
                   "const special = {\n  lemmas: draw,\n};\nif (row.name === 'update') f('b2t');\n")
        self.assert_finds("row_names", '88_probes.js:2: names the probe "lemmas"',
                          '88_probes.js:4: names the probe "update"', '88_probes.js:4: names the variant "b2t"')

    def test_allows_the_default_comments_and_longer_texts(self):
        self.write("src/plumb/residual/residual.cpp", 'bind("b2t");\n')
        self.write("src/plumb/config/config.h", '  std::string variant = "pre_ln";\n')
        self.write("src/plumb/nn/layer.cpp", """// not "b2t"\nchar c = '"'; f("b2t rows", '"');\n""")
        self.assert_passes("row_names")

    def test_allows_the_folders_that_implement_rows_and_ordinary_words(self):
        self.write("src/plumb/probe/probe.cpp", 'bind("lemmas");\nif (name == "update") return;\n')
        self.write("src/plumb/metric/measure.cpp", 'if (name == "bleu") return;\n')
        self.write("src/plumb/runs/run_records.cpp", 'record.at("update");\nif (key == "update") return;\n')
        self.write("src/plumb/report/assets/90_sweeps.js", "const shown = {update: run.update}; // 'lemmas'\n")
        self.assert_passes("row_names")

    def test_only_the_default_of_the_config(self):
        self.write("src/plumb/config/config.h", '  if (variant == "pre_ln") return;\n')
        self.assert_finds("row_names", "src/plumb/config/config.h:1")

    def test_a_table_it_cannot_read(self):
        self.write("src/plumb/catalogue/variants.cpp", '{"pre_ln"},\n')
        self.write("src/plumb/catalogue/metrics.cpp", '{"bleu"},\n')
        self.assert_finds("row_names", "variants.cpp: no row names found", "metrics.cpp: no row names found")


class HiddenNames(ToolsTest):
    def hide(self, path, *lines):
        self.write(path, "namespace plumb {\nnamespace {\n" + "\n".join(lines) + "\n}  // namespace\n}  // namespace plumb\n")

    def test_finds_what_would_meet(self):
        self.hide("src/plumb/text/a.cpp", "constexpr int kMost = 3;", "struct Row {", "};", "int sum(int a, int b) {", "}")
        self.hide("src/plumb/text/b.cpp", "constexpr double kMost = 4;", "int sum(int left, int right) {", "}")
        self.hide("tests/text/support/c.cpp", "struct Row {", "};")
        self.hide("tests/text/d_test.cpp", "class Row {", "};")
        self.assert_finds("hidden_names", "src/plumb/text/b.cpp:3: kMost is also hidden in src/plumb/text/a.cpp",
                          "src/plumb/text/b.cpp:4: sum(int, int)", "Row is also hidden in tests/text/d_test.cpp")

    def test_allows_overloads_equal_aliases_other_folders_and_bodies(self):
        self.hide("src/plumb/text/a.cpp", "using Rows = std::vector<int>;", "int sum(int a) {", "  const int kMost = 1;", "}")
        self.hide("src/plumb/text/b.cpp", "using Rows = std::vector<int>;", "int sum(double a) {", "  const int kMost = 2;", "}")
        self.hide("src/plumb/data/c.cpp", "int sum(int a) {", "}")
        self.hide("src/plumb/kernel/d.cpp", "constexpr int kMost = 3;")
        self.hide("src/plumb/kernel/e.cpp", "constexpr int kMost = 3;")
        self.assert_passes("hidden_names")


class Programs(ToolsTest):
    def test_both_libraries(self):
        both = ["libc.so.6", "libsentencepiece.so.0", "libtorch_cpu.so.1.13"]
        self.assertEqual(len(list(check_programs.problems_of("text_test", both))), 1)
        self.assertEqual(list(check_programs.problems_of("text_test", both[:2])), [])

    def test_the_front_has_no_torch(self):
        self.assertEqual(len(list(check_programs.problems_of("plumb", ["libtorch.so.1.13"]))), 1)
        self.assertEqual(list(check_programs.problems_of("plumb-engine", ["libtorch.so.1.13"])), [])

    def test_reads_ldd(self):
        self.assertTrue(any(name.startswith("libc.so") for name in check_programs.libraries(sys.executable)))

    def test_not_a_program(self):
        self.write("build/release/plumb", "text")
        self.assert_finds("programs", "plumb: ldd cannot read it")

    def test_nothing_built(self):
        result = run("programs", self.root)
        self.assertEqual((result.returncode, result.stdout), (0, "programs (plumb, plumb-engine not built): ok\n"))


class Words(ToolsTest):
    def test_names_that_say_nothing(self):
        self.write("src/plumb/utils/a.h")
        self.write("src/plumb/base/helpers.cpp")
        self.write("src/plumb/base/commons.cpp")
        self.assert_finds("words", "src/plumb/utils/a.h: a name", "src/plumb/base/helpers.cpp: a name")

    def test_loose_ends(self):
        self.write("a.md", "TO" "DO later\nTO" "DO(#12) later\nFIX" "ME #3\n// FIX" "ME: now\n")
        self.assert_finds("words", "a.md:1: ", "a.md:4: ")

    def test_paths_of_one_machine(self):
        self.write("a.txt", "open /wor" "k/data\nframework/roo" "t/x\n\"/hom" "e/me/x\"\n")
        self.assert_finds("words", "a.txt:1: a path", "a.txt:3: a path")

    def test_long_files_and_tabs(self):
        self.write("a.cpp", "\n" * 501)
        self.write("b.h", "\tint x;\n")
        self.write("c.txt", "\t\n" * 501)
        self.assert_finds("words", "a.cpp: 501 lines", "b.h:1: a tab")

    def test_ignores_what_git_ignores_and_binaries(self):
        self.write("build/utils.h", "\t")
        (self.root / "model.bin").write_bytes(b"\xff\xfe\x00TO" b"DO")
        self.assert_passes("words")


class Where(ToolsTest):
    def source(self, path, *lines):
        self.write(f"src/plumb/{path}", "".join(f"{line}\n" for line in lines))

    def test_data_pointers(self):
        self.source("nn/layer.cpp", "const float* x = y.data_ptr<float>();", "auto u = v.accessor<double, 2>();")
        self.source("decode/generate.cpp", "void* x = y.mutable_data_ptr();")
        self.assert_finds("where", "src/plumb/nn/layer.cpp:1: data_ptr", "src/plumb/nn/layer.cpp:2: accessor",
                          "src/plumb/decode/generate.cpp:1: mutable_data_ptr")

    def test_tensors_without_a_device(self):
        self.source("probe/x.cpp", "at::zeros({m, m}, at::kDouble);", "at::full({2}, 1,", "         where.options());",
                    "at::arange(0, n,", "           at::kLong);")
        self.assert_finds("where", "src/plumb/probe/x.cpp:1: zeros()", "src/plumb/probe/x.cpp:4: arange()")

    def test_kernels_comments_and_named_places(self):
        for path in ("kernel/a.cpp", "ops/fused/a.cpp", "ops/tangent/a.cpp", "memory/a.cpp", "decode/search.cpp"):
            self.source(path, "x.data_ptr<float>();")
        self.source("nn/a.cpp", "// x.data_ptr<float>()", "at::zeros({2}, x.options());", "at::zeros_like(x);",
                    "at::ones({n, std::max(a, b)}, where.options(at::kBool));", "at::where(x < 0, x, y);")
        self.assert_passes("where")


class Talk(ToolsTest):
    def source(self, path, *lines):
        self.write(f"src/plumb/{path}", "".join(f"{line}\n" for line in lines))

    def test_other_ways_to_the_standard_files(self):
        self.source("train/a.cpp", "fmt::print(stderr, x);", "std::cerr << x;", "::write(STDERR_FILENO, x, 1);")
        self.source("cli/b.cpp", "fmt::print(x);", "std::cout << x;", "std::fwrite(x, 1, 1, stdout);")
        self.assert_finds("talk", "train/a.cpp:1: stderr", "train/a.cpp:1: fmt::print", "train/a.cpp:2: std::cerr",
                          "train/a.cpp:3: write(STDERR_FILENO", "cli/b.cpp:1: fmt::print", "cli/b.cpp:2: std::cout",
                          "cli/b.cpp:3: stdout")

    def test_the_two_places_comments_and_texts(self):
        self.source("base/to_stderr.cpp", "::write(STDERR_FILENO, x, 1);")
        self.source("cli/command_line.cpp", "std::fflush(stdout);")
        self.source("cli/a.cpp", "// goes to stderr", 'DiskError("stdout", "a \\"stderr\\"");', "isatty(STDERR_FILENO);",
                    "fmt::format(progress_on_stderr());")
        self.assert_passes("talk")


class RealTree(ToolsTest):
    def test_passes(self):
        for check in ("includes", "hidden_names", "row_names", "where", "talk", "words"):
            with self.subTest(check):
                self.assert_passes(check, ROOT)

    def test_programs_pass(self):
        build = os.environ.get("PLUMB_BIN_DIR", str(ROOT / "build" / "release"))
        self.assert_passes("programs", ROOT, "--build", build)

    def test_lists_its_own_files(self):
        self.assertIn(pathlib.Path("tools/tree.py"), tree.files(ROOT))


if __name__ == "__main__":
    unittest.main()
