"""Small and read-only file systems (tmpfs in a mount namespace; needs root): exit 4, nothing lost, then resume."""

import os
import shutil
import subprocess

from attack import Attack, Failed

SMALL = """
set -u
mount -t tmpfs -o size={size}k none small && cp tiny.toml small/ && cd small || exit 99
$plumb train tiny.toml --out run; echo $? > ../first
mount -o remount,size=64m . || exit 99
$plumb train tiny.toml --out run --resume; echo $? > ../second
cp -r run ../
"""
FIXED = """
mkdir fixed && cp -r run cache fixed/ && mount --bind fixed fixed && mount -o remount,ro,bind fixed || exit 99
"""
READ_ONLY = {
    "a read-only place for the run": ("$plumb train tiny.toml --out fixed/new", 4),
    "a read-only run is generated from": ("echo one | $plumb generate fixed/run", 0),
    "a read-only run is evaluated": ("$plumb evaluate fixed/run --split valid", 0),
    "a read-only run is reported": ("$plumb report fixed/run -o page.html", 0),
    "a read-only run cannot be resumed": ("$plumb train tiny.toml --out fixed/run --resume", 4),
    "a read-only cache that has everything": ("$plumb train tiny.toml --set data.cache=fixed/cache --out other", 0),
    "a read-only cache that lacks something":
        ("$plumb prepare tiny.toml --set data.cache=fixed/cache --set data.numbers_train=77", 4),
    "a page on a read-only disk": ("$plumb report fixed/run -o fixed/page.html", 4),
}


class FullDisks(Attack):
    name = "full_disks"
    about = "tmpfs of 20 kB to 1.5 MB, enlarged and resumed; read-only runs, caches and places"
    short = 2

    def skip(self):
        if os.geteuid() != 0 or not shutil.which("unshare"):
            return "needs root and unshare"
        works = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
        return None if works.returncode == 0 else "file systems cannot be mounted here"

    def inside(self, script, folder, what, codes):
        environment = {"script": script}
        ended = self.lab.program.shell('exec unshare -m --propagation private bash -c "$script"', folder,
                                       limit=2 * self.lab.program.limit, env=environment)
        if ended.code == 99:
            raise Failed("other", f"the file system could not be made: {ended.said()}")
        return ended.check(*codes, what=what)

    def run(self, case):
        draw = self.draw(case)
        if case % 2:
            label = draw.choice(sorted(READ_ONLY))
            command, code = READ_ONLY[label]
            folder = self.lab.copy(self.lab.half)
            self.inside(FIXED + command, folder, label, (code,))
            return
        folder, size = self.lab.folder(), draw.randrange(20, 1500)
        shutil.copy(self.lab.prepared / "tiny.toml", folder)
        (folder / "small").mkdir()
        self.inside(SMALL.format(size=size), folder, f"a disk of {size} kB", (0,))
        codes = [int((folder / name).read_text()) for name in ("first", "second")]
        final = self.lab.final(folder)
        if codes[0] not in (0, 4) or codes[1] != 0:
            raise Failed("other", f"a disk of {size} kB: exit {codes[0]}, resumed on a larger one: exit {codes[1]}")
        if final != self.lab.expected:
            raise Failed("silently wrong", f"a disk of {size} kB: resumed on a larger one, but to other weights")
