"""A file of every length that is shorter than it should be, or longer: noticed, or without effect."""

from functools import cached_property

from attack import Failed
from damaged_run import DamagedRun


class Truncations(DamagedRun):
    name = "truncations"
    about = "the same files cut to every length, lengthened, or filled with zeros from there"
    share = 2.0
    short = 4

    @cached_property
    def pairs(self):
        pairs = self.targets()
        self.draw("pairs").shuffle(pairs)
        return pairs

    def run(self, case):
        file, command = self.pairs[case % len(self.pairs)]
        draw, size = self.draw(case), self.size(file)
        length = draw.choice((0, 1, size - 1, draw.randrange(size), draw.randrange(size)))
        how = draw.choice(("cut", "cut", "cut", "zeros", "longer"))

        def damage(path):
            content = path.read_bytes()
            after = {"cut": b"", "zeros": bytes(size - length), "longer": content[length:] + draw.randbytes(9)}[how]
            path.write_bytes(content[:length] + after)

        try:
            self.judge(file, command, damage)
        except Failed as failed:
            raise Failed(failed.kind, f"{file}, {how} at {length} of {size} bytes: {failed}") from None
