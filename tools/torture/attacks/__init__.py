"""All attacks, in the order in which they are made."""

from attacks.disk import Disk
from attacks.flips import Flips
from attacks.kills import Kills
from attacks.odd_files import OddFiles
from attacks.power_cut import PowerCut
from attacks.truncations import Truncations

ALL = (Kills, Flips, Truncations, OddFiles, Disk, PowerCut)
