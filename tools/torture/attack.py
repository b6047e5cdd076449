"""What an attack is: a name, numbered cases, and a way to run one of them that says how it failed."""

import random

# What a failure can be, in the order of the table's columns.
KINDS = ("crash", "hang", "internal error", "silently wrong", "other")


class Failed(Exception):
    """One case did not survive: which kind of failure, and what was seen."""

    def __init__(self, kind, text):
        super().__init__(text)
        assert kind in KINDS, kind
        self.kind = kind


class NothingLeft(Exception):
    """The case has nothing to try, because all of its kind were tried before: it does not count."""


class Attack:
    """One kind of attack. Cases are numbered from 0 and depend on nothing but the seed and the number.

    An attack that enumerates (every byte, every call) returns their number from count(); one that draws forever
    returns None. What all cases share is made lazily, through the lab, so that --case pays only for what it needs.
    """

    name = ""
    about = ""
    share = 1.0  # of the time, compared with the others
    short = 2    # cases of the short form
    long_only = False  # left out of the short form
    seconds = 60.0     # what the campaign gives it, for those that divide it themselves

    def __init__(self, lab):
        self.lab = lab

    def skip(self):
        """Why the attack cannot be made here, or None."""
        return None

    def count(self):
        return None

    def run(self, case):
        """Returns if the program survived, raises Failed if not."""
        raise NotImplementedError

    def draw(self, *case):
        """The random numbers of a case, or of the order of all cases."""
        return random.Random("/".join(map(str, (self.name, self.lab.seed, *case))))


class Listed(Attack):
    """An attack whose cases are a list of (label, function, argument...), in an order that the seed decides."""

    _shuffled = None

    def listed(self):
        raise NotImplementedError

    def cases(self):
        if self._shuffled is None:
            self._shuffled = list(self.listed())
            self.draw().shuffle(self._shuffled)
        return self._shuffled

    def count(self):
        return len(self.cases())

    def run(self, case):
        label, function, *arguments = self.cases()[case]
        try:
            function(*arguments)
        except Failed as failed:
            raise Failed(failed.kind, f"{label}: {failed}") from None
