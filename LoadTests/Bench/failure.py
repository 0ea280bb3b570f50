"""What ends one measurement, in one line for the table. The others go on."""


class BenchFailure(Exception):
    pass
