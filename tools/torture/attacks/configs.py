"""Hostile configs: one line and exit 2, soon, whatever is in them."""

import os
import shlex
from functools import partial

from attack import Attack, Failed
from lab import TINY

DEEP = 100_000
TEXTS = {
    "a key of 200 kB": TINY + "\n" + "k" * 200_000 + " = 1\n",
    "a value of 200 kB": 'task = "' + "v" * 200_000 + '"\n',
    "a number of 200 kB": "seed = " + "9" * 200_000 + "\n",
    "100,000 nested lists": "x = " + "[" * DEEP + "]" * DEEP + "\n",
    "100,000 nested tables": ".".join("a" * DEEP) + " = 1\n",
    "unended nested tables": "x = " + "{a=" * 20_000,
    "100,000 keys": "".join(f"k{number} = 1\n" for number in range(100_000)),
    "200,000 tables": "".join(f"[t{number}]\n" for number in range(200_000)),
    "a key twice": "seed = 1\nseed = 2\n",
    "a table twice": "[data]\n[data]\n",
    "a table that is a number": "data = 1\n",
    "a number that is a table": "[seed]\n",
    "a number too large": "seed = 99999999999999999999999999\n",
    "a negative size": "[model]\nwidth = -16\n",
    "no size": "[model]\nwidth = 0\n",
    "an enormous size": "[model]\nwidth = 9223372036854775807\n",
    "enormous layers": "[model]\nencoder_layers = 9223372036854775807\n",
    "a rate that is not a number": "[optim]\nlr = nan\n",
    "an infinite rate": "[optim]\nlr = inf\n",
    "a date": "seed = 1979-05-27T07:32:00Z\n",
    "a list": "seed = [1, 2]\n",
    "mixed lists": '[optim]\nbetas = [0.9, "x"]\n',
    "a truth": "[model]\nwidth = true\n",
    "an at sign in a name": "[@x]\n",
    "a letter outside ASCII as a key": "\u0490 = 1\n",
    "a zero byte": "seed = \0 1\n",
    "control characters": 'task = "\x1b[31m"\n',
    "a byte order mark": "\ufeffseed = 1\nnope = 2\n",
    "only a carriage return": "seed = 1\rwidth = 2\r",
    "an escape that is none": 'task = "\\q"\n',
    "a surrogate": 'task = "\\uD800"\n',
    "an unended text": 'task = """abc',
    "includes itself": 'include = "hostile.toml"\n',
    "includes nothing": 'include = ""\n',
    "includes a folder": 'include = "/"\n',
    "includes an endless device": 'include = "/dev/zero"\n',
    "includes a FIFO": 'include = "pipe"\n',
    "includes a list of numbers": "include = [1, 2]\n",
    "includes that double 30 times": 'include = ["double29.toml", "double29.toml"]\n',
    "includes 3,000 deep": 'include = "deep2999.toml"\n',
    "a corpus of 1,000,000,000 lines": "[data]\nnumbers_train = 1000000000\n",
    "a vocabulary of 1,000,000,000": "[data]\nvocab_size = 1000000000\n",
    "more threads than there are": "threads = 1000000000\n",
    "a cache that is not UTF-8": b'[data]\ncache = "\xff\xfe"\n',
    "not UTF-8": b"\xff\xfe\x00s\x00e\x00e\x00d",
    "nothing": b"",
}
COMMANDS = ("train hostile.toml --dry-run --json", "prepare hostile.toml", "train hostile.toml --out run",
            "sweep hostile.toml --dry-run", "probe hostile.toml --only gradient_norm")
ODD = {
    "a FIFO": os.mkfifo,
    "a folder": os.mkdir,
    "an endless device": partial(os.symlink, "/dev/zero"),
    "a full device": partial(os.symlink, "/dev/full"),
    "a link to itself": partial(os.symlink, "hostile.toml"),
}
SETTINGS = ("=", "seed", "seed=", "=1", ".=1", "seed=1=2", "data.=1", "data..cache=x", "seed=[", 'seed="', "model.width=1e400",
            "x" * 100_000, "seed=" + "9" * 10_000, "data.cache=\udcff", "data.cache=", "data.cache=/dev/null/x",
            "data.cache=" + "/x" * 3000, "data.cache=" + "y" * 300, "data.train_source=/dev/zero")
PUNCTUATION = (b"[", b"]", b'"', b"=", b".", b"\n", b"{", b"#", b"\x00", b"1e999", b"-", b"'''", b"\xc3")
VALUES = (b"-1", b"0", b"1e308", b"nan", b'"x"', b"[]", b"{}", b"true", b"1979-05-27", b"9223372036854775807", b"0.5")


class Configs(Attack):
    name = "configs"
    about = "hostile configs by hand, --set by hand, and random changes of a good one: one line, exit 2, soon"
    short = 4

    def count(self):
        return None

    def run(self, case):
        draw, hand = self.draw(case), [*TEXTS, *ODD, *SETTINGS]
        self.draw("order").shuffle(hand)
        folder = self.lab.copy(self.lab.prepared)
        made_by_hand = hand[case // 2 % len(hand)] if case % 2 == 0 else None
        command = COMMANDS[case // 2 // len(hand) % len(COMMANDS)].split() if made_by_hand else COMMANDS[0].split()
        label = f"{(made_by_hand or 'a changed config')[:60]!r}, {command[0]}"
        if made_by_hand in SETTINGS:
            command = [command[0], "tiny.toml", *command[2:], "--set", made_by_hand]
        elif made_by_hand in ODD:
            ODD[made_by_hand](folder / "hostile.toml")
        else:
            text = TEXTS[made_by_hand] if made_by_hand else mutated(draw, TINY.encode())
            (folder / "hostile.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
            self.includes(folder, made_by_hand)
        # Bounded: a corpus of a thousand million lines must not fill the disk, nor a vocabulary the memory, of whoever runs this.
        ended = self.lab.program.shell(f"ulimit -f 200000 -v 8000000 && exec $plumb {shlex.join(command)}", folder)
        try:
            ended.check(0, 2, 3, 4, 5)
            if ended.code in (2, 3) and len(ended.err.splitlines()) > 3:
                raise Failed("other", f"{len(ended.err.splitlines())} lines for one mistake: {ended.said()}")
        except Failed as failed:
            raise Failed(failed.kind, f"{label}: {failed}") from None

    def includes(self, folder, label):
        if label == "includes a FIFO":
            os.mkfifo(folder / "pipe")
        for count, pattern, line in ((30, "double", 'include = ["{0}", "{0}"]\n'), (3000, "deep", 'include = "{0}"\n')):
            if label and label.startswith("includes that double" if pattern == "double" else "includes 3,000"):
                for number in range(count):
                    text = line.format(f"{pattern}{number - 1}.toml") if number else "seed = 1\n"
                    (folder / f"{pattern}{number}.toml").write_text(text)


def mutated(draw, text):
    """A good config with a few bytes, lines or values changed."""
    content = bytearray(text)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(content))
        how = draw.randrange(5)
        if how == 0:
            content[at] = draw.randrange(256)
        elif how == 1:
            del content[at:at + draw.randint(1, 20)]
        elif how == 2:
            content[at:at] = draw.choice(PUNCTUATION)
        else:  # another value behind some equals sign
            value = draw.choice(VALUES)
            lines = bytes(content).split(b"\n")
            chosen = draw.choice([number for number, line in enumerate(lines) if b"=" in line] or [0])
            lines[chosen] = lines[chosen].partition(b"=")[0] + b"= " + value
            content = bytearray(b"\n".join(lines))
    return bytes(content)
